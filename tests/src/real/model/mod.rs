//! A model server on loopback that does what a script says.
//!
//! It speaks the streaming interfaces that the agents use. The prompt names a scene
//! (`scene:stall-7`), the scene says what the model does, and a scene that holds goes on when the
//! run releases it: so it is known to the millisecond what is true, and nothing depends on how
//! fast the machine is.

mod anthropic;
mod arguments;
mod chat;
mod gemini;
mod play;
mod request;
mod responses;
mod script;
mod server;
mod truth;
mod wire;

pub use arguments::Tools;
pub use script::{Act, Script};
pub use server::ModelServer;
pub use truth::{Key, Truth, What};
