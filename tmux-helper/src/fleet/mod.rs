//! Agents of several machines: each tells an MQTT 5 broker of its own, and hears of the others.
//!
//! [`link`] speaks the protocol and [`book`] knows the hosts, both without input, output or clock;
//! [`wire`] is the network, [`station`] keeps a connection, and a [`station::Role`] is what it is
//! for: [`publish`] tells, [`read`] hears, [`probe`] only asks to be let in.

pub mod bell;
pub mod book;
mod deliver;
pub mod ear;
pub mod link;
mod local;
pub mod message;
mod outbox;
pub mod probe;
pub mod publish;
pub mod read;
mod secret;
mod send;
pub mod snapshot;
pub mod station;
pub mod topic;
pub mod wire;
mod zellij;

pub use secret::Secret;
pub use send::{Sending, send};

use crate::config::Fleet;
use crate::{Context, Error};
use link::Why;

/// The settings, or what is missing.
pub fn settings(ctx: &Context) -> Result<Fleet, Error> {
    ctx.config()?.fleet.ok_or_else(|| {
        Error::usage("no broker is named in the settings").remedy(format!(
            "Name one in {}: [fleet], broker = \"mqtt.example.org\"",
            ctx.paths().config_file().display()
        ))
    })
}

/// What this machine is called: as the settings say, else by its own name.
pub fn host_name(fleet: &Fleet) -> Result<String, Error> {
    if let Some(host) = &fleet.host {
        return Ok(host.clone());
    }
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    if Fleet::is_name(&name) {
        return Ok(name);
    }
    Err(Error::usage(format!("this machine's own name, `{name}`, cannot be its name in the fleet"))
        .remedy("Name it by fleet.host, with letters, digits, `-`, `_` and `.`."))
}

fn password(fleet: &Fleet) -> Result<Option<Secret>, Error> {
    fleet.password_file.as_deref().map(Secret::read).transpose()
}

/// Why there is no connection, for people.
pub fn describe(why: &Why, broker: &str) -> String {
    match why {
        Why::Unreachable(what) => format!("cannot reach the broker {broker}: {what}"),
        Why::Untrusted(what) => format!("the broker {broker} is not trusted: {what}"),
        Why::Refused(what) => format!("the broker {broker} does not let us in: {what}"),
        Why::Unable(what) => format!("the broker {broker} cannot be used: {what}"),
        Why::TakenOver => format!("the broker {broker} gave our place to another client"),
        Why::Lost(what) => format!("lost the broker {broker}: {what}"),
    }
}

/// The same as the end of a command.
pub fn error(why: &Why, broker: &str) -> Error {
    let what = describe(why, broker);
    match why {
        Why::Unreachable(_) | Why::Lost(_) => Error::no_server(what)
            .remedy("Is it running, and are fleet.broker, fleet.port and fleet.tls right?"),
        Why::Untrusted(_) => Error::refused(what)
            .remedy("fleet.ca_file names the certificate of the broker's own authority."),
        Why::Refused(_) => Error::usage(what)
            .remedy("Check fleet.user, fleet.password_file, and what the broker allows this user."),
        Why::Unable(_) => Error::failed(what).remedy("A broker that speaks MQTT 5 is needed."),
        Why::TakenOver => Error::failed(what),
    }
}
