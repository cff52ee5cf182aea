//! zellij's side of the plugin: the functions that it calls by name, and the one that it offers.
//!
//! The names need attributes that only `unsafe` code may have, the one place of the project with
//! such a word; nothing is done here that the compiler does not check.

use crate::Shell;
use madohub_zellij::wire::{self, Malformed};
use std::cell::RefCell;
use std::io::{Write, stdin, stdout};

thread_local! {
    static SHELL: RefCell<Shell> = RefCell::default();
}

#[expect(unsafe_code, reason = "declares a function of zellij, which takes and gives nothing")]
#[link(wasm_import_module = "zellij")]
unsafe extern "C" {
    /// Reads a command from what the plugin wrote, and writes the answer to what it reads.
    safe fn host_run_plugin_command();
}

/// zellij loaded the plugin; its block comes with it.
#[expect(unsafe_code, reason = "zellij calls it by this name")]
#[unsafe(no_mangle)]
extern "C" fn load() {
    let block = incoming().and_then(|bytes| wire::configuration(&bytes));
    with_shell(|shell| shell.load(&block.unwrap_or_default()));
}

/// Something happened; true when the plugin is to be drawn.
#[expect(unsafe_code, reason = "zellij calls it by this name")]
#[unsafe(no_mangle)]
extern "C" fn update() -> bool {
    match incoming().and_then(|bytes| wire::event(&bytes)) {
        Ok(Some(event)) => with_shell(|shell| shell.update(event)),
        Ok(None) => false,
        Err(error) => complain(error),
    }
}

/// A message came; true when the plugin is to be drawn.
#[expect(unsafe_code, reason = "zellij calls it by this name")]
#[unsafe(no_mangle)]
extern "C" fn pipe() -> bool {
    match incoming().and_then(|bytes| wire::pipe(&bytes)) {
        Ok(message) => with_shell(|shell| shell.pipe(message)),
        Err(error) => complain(error),
    }
}

/// Draws the plugin's pane.
#[expect(unsafe_code, reason = "zellij calls it by this name")]
#[unsafe(no_mangle)]
extern "C" fn render(_rows: i32, columns: i32) {
    let row = with_shell(|shell| shell.render(usize::try_from(columns).unwrap_or(0)));
    write(row.as_bytes());
}

/// Has zellij carry out a command.
pub(crate) fn tell(call: &[u8]) {
    write(&wire::to_line(call));
    host_run_plugin_command();
}

/// Has zellij carry out a command, and brings its answer.
pub(crate) fn ask(call: &[u8]) -> Result<Vec<u8>, Malformed> {
    tell(call);
    incoming()
}

fn incoming() -> Result<Vec<u8>, Malformed> {
    wire::read_line(&mut stdin().lock())
}

fn write(bytes: &[u8]) {
    let mut out = stdout().lock();
    // zellij reads it from memory; there is nobody to tell of a failure.
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

/// zellij calls one function after the other, never one within another.
fn with_shell<T: Default>(act: impl FnOnce(&mut Shell) -> T) -> T {
    SHELL.with(|shell| shell.try_borrow_mut().map(|mut shell| act(&mut shell)).unwrap_or_default())
}

fn complain(error: Malformed) -> bool {
    eprintln!("madohub: {error}");
    false
}
