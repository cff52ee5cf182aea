//! What goes between zellij and the plugin, as bytes.
//!
//! zellij 0.44 and 0.45 speak Protocol Buffers (`src/plugin_api/*.proto` of the crate
//! `zellij-utils`): a field's number never changes its meaning there, and plugins built for older
//! versions stay valid. Read and written are the few messages that the plugin has a use for, and
//! of those the fields it has a use for; what is unknown is skipped. The numbers below are those
//! files' ones. A test program compares all of it with zellij's own library (`bin/dialect.rs`).
//!
//! Either way a message goes as text: a list of its bytes in JSON, on one line.

mod calls;
mod events;
mod fields;
mod message;
mod numbers;
mod panes;
mod style;

pub use calls::{
    calls, command_call, ids_call, pid_call, place_call, screen_call, subscribe_call, version_call,
};
pub use events::{configuration, event, pipe};
pub use fields::Malformed;
pub use numbers::{read_line, to_line};
pub use panes::{command_reply, ids_reply, pid_reply, place_reply, screen_reply, version_reply};

#[cfg(test)]
mod tests {
    use super::message::Message;
    use super::*;

    /// Everything that reads, on the same bytes.
    fn read_all(bytes: &[u8]) {
        let _ = (configuration(bytes), event(bytes), pipe(bytes));
        let _ = (screen_reply(bytes), place_reply(bytes), pid_reply(bytes));
        let _ = (command_reply(bytes), ids_reply(bytes), version_reply(bytes));
    }

    #[test]
    fn whatever_comes_in_is_read_or_malformed() {
        // Every kind of event with every field as its payload, each kind of value in it.
        for name in 0..50 {
            for field in 2..44 {
                let inner = Message::default().number(1, u64::MAX).text(2, "\u{1b}").double(3, 0.0);
                let deep = Message::default().message(1, &inner).message(3, &inner).number(5, 1);
                for payload in [&inner, &deep, &Message::default()] {
                    let bytes =
                        Message::default().number(1, name).message(field, payload).into_bytes();
                    read_all(&bytes);
                    for end in 0..bytes.len() {
                        read_all(bytes.get(..end).unwrap_or_default());
                    }
                }
                read_all(&Message::default().number(1, name).number(field, 7).into_bytes());
            }
        }
    }

    #[test]
    fn what_is_no_message_is_no_event() {
        assert_eq!(event(&[]), Ok(None));
        assert_eq!(event(&[0x08, 5]), Ok(Some(crate::Event::Timer)));
        assert_eq!(event(&[0x08]), Err(Malformed));
        // A theme without its colours.
        assert_eq!(event(&[0x12, 2, 0x08, 1]), Err(Malformed));
        assert!(pipe(&[]).is_err(), "a message of the command line has an id");
    }
}
