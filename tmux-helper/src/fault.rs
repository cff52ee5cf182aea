//! Points in a step of the daemon at which a test has it killed. In builds without debug assertions
//! they are nothing.

/// Kills this process, as `kill -9` does, if the file that `MADOHUB_KILLED_AT` names holds the name
/// of this point. The file is removed before, so that the next daemon lives.
#[cfg(debug_assertions)]
pub(crate) fn point(name: &str) {
    use rustix::process::{Signal, getpid, kill_process};
    let Some(path) = std::env::var_os("MADOHUB_KILLED_AT") else { return };
    if std::fs::read_to_string(&path).is_ok_and(|wanted| wanted == name) {
        let _ = std::fs::remove_file(&path);
        let _ = kill_process(getpid(), Signal::KILL);
    }
}

/// Nothing.
#[cfg(not(debug_assertions))]
pub(crate) fn point(_name: &str) {}
