//! Compares what the plugin reads and writes with what zellij's own library writes and reads, for
//! every event that the plugin takes and every call that it makes. A test runs it; nobody installs
//! it. Prints a line for each difference, and at last how much it compared.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test program"
)]

mod calls;
mod events;
mod replies;

use std::fmt::Debug;

fn main() {
    let mut compared = Compared::default();
    events::compare(&mut compared);
    calls::compare(&mut compared);
    replies::compare(&mut compared);
    println!("compared {}", compared.0);
}

#[derive(Default)]
struct Compared(usize);

impl Compared {
    fn same<T: Debug + PartialEq>(&mut self, what: &str, ours: T, expected: T) {
        self.0 += 1;
        if ours != expected {
            println!("{what}: {ours:?} instead of {expected:?}");
        }
    }
}
