//! Logs that are more than one file: databases, and OpenCode's folder.

use super::{Format, HOME, write as write_file};
use rusqlite::Connection;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

const OPENCODE: &str = ".local/share/opencode/opencode.db";
const CRUSH: &str = "w/.crush/crush.db";
const GOOSE: &str = ".local/share/goose/sessions/sessions.db";

/// Writes a log whose lines are messages and parts in turn, of Crush and Goose messages of person and
/// agent in turn. Of a damaged one they are places and bytes.
pub(super) fn write(format: Format, content: &[u8]) {
    match format {
        Format::Crush => crush(content).expect("a database"),
        Format::Goose => goose(content).expect("a database"),
        Format::Opencode => opencode(content).expect("a database"),
        Format::OpencodeFiles => files(content),
        Format::OpencodeDamaged => damaged(content),
        _ => unreachable!("one file"),
    }
}

fn rows(content: &[u8]) -> Vec<(u32, bool, String)> {
    let text = String::from_utf8_lossy(content).into_owned();
    let lines = (0..).zip(text.split('\n').take(16));
    lines.map(|(n, line)| (n / 2, n % 2 == 1, line.to_owned())).collect()
}

/// An empty database at this place below the home folder.
fn database(path: &str, tables: &str) -> rusqlite::Result<Connection> {
    let path: PathBuf = HOME.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let db = Connection::open(path)?;
    db.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN;")?;
    db.execute_batch(tables)?;
    Ok(db)
}

fn opencode(content: &[u8]) -> rusqlite::Result<()> {
    let db = database(
        OPENCODE,
        "CREATE TABLE session(id TEXT, parent_id TEXT, directory TEXT, time_created INTEGER,
                              time_updated INTEGER);
         CREATE TABLE message(id TEXT, session_id TEXT, data TEXT);
         CREATE TABLE part(id TEXT, message_id TEXT, session_id TEXT, data TEXT);
         INSERT INTO session VALUES('s', NULL, '/w', 1, 1);",
    )?;
    for (number, is_part, data) in rows(content) {
        let insert = if is_part {
            "INSERT INTO part VALUES(?1, ?1, 's', ?2)"
        } else {
            "INSERT INTO message VALUES(?1, 's', ?2)"
        };
        db.execute(insert, (format!("m{number:02}"), data))?;
    }
    db.execute_batch("COMMIT")
}

fn crush(content: &[u8]) -> rusqlite::Result<()> {
    let db = database(
        CRUSH,
        "CREATE TABLE sessions(id TEXT, parent_session_id TEXT, updated_at INTEGER);
         CREATE TABLE messages(session_id TEXT, role TEXT, model TEXT, parts TEXT,
                               created_at INTEGER, updated_at INTEGER, is_summary_message INTEGER);
         INSERT INTO sessions VALUES('s', NULL, 1);",
    )?;
    for (number, is_agent, parts) in rows(content) {
        let role = if is_agent { "assistant" } else { "user" };
        let insert = "INSERT INTO messages VALUES('s', ?1, 'm', ?2, ?3, ?3, 0)";
        db.execute(insert, (role, parts, number))?;
    }
    db.execute_batch("COMMIT")
}

fn goose(content: &[u8]) -> rusqlite::Result<()> {
    let db = database(
        GOOSE,
        "CREATE TABLE sessions(id TEXT, name TEXT, working_dir TEXT, session_type TEXT,
                               created_at TEXT, updated_at TEXT);
         CREATE TABLE messages(id INTEGER PRIMARY KEY, session_id TEXT, role TEXT,
                               content_json TEXT, created_timestamp INTEGER);
         INSERT INTO sessions VALUES('s', 'n', '/w', 'user', '2026-01-01', '2026-01-01');",
    )?;
    for (number, is_agent, parts) in rows(content) {
        let role = if is_agent { "assistant" } else { "user" };
        let insert = "INSERT INTO messages VALUES(NULL, 's', ?1, ?2, ?3)";
        db.execute(insert, (role, parts, number))?;
    }
    db.execute_batch("COMMIT")
}

fn files(content: &[u8]) {
    let storage = ".local/share/opencode/storage";
    write_file(&format!("{storage}/session/p/s.json"), br#"{"id":"s","directory":"/w"}"#);
    for (number, is_part, data) in rows(content) {
        let name =
            if is_part { format!("part/m{number}/p") } else { format!("message/s/m{number}") };
        write_file(&format!("{storage}/{name}.json"), data.as_bytes());
    }
}

/// Of three bytes each, two say where in a sound database the third one is written.
fn damaged(content: &[u8]) {
    const SOUND: &str = "{\"role\":\"user\"}\n{\"type\":\"text\",\"text\":\"hello\"}";
    static FILE: OnceLock<Vec<u8>> = OnceLock::new();
    let sound = FILE.get_or_init(|| {
        opencode(SOUND.as_bytes()).expect("a database");
        let file = fs::read(HOME.join(OPENCODE)).expect("a file");
        fs::remove_dir_all(&*HOME).expect("a folder");
        file
    });
    let mut file = sound.clone();
    for change in content.chunks_exact(3) {
        let [high, low, byte] = *change else { continue };
        let place = usize::from(u16::from_be_bytes([high, low])) % file.len();
        file[place] = byte;
    }
    write_file(OPENCODE, &file);
}
