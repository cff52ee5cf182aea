//! Following a file that holds a whole session as one object with a list of messages.
//!
//! Such a file is written anew for every change, so all of it is read, message by message; each is
//! forgotten before the next one, but for the last few, of which one record is made each.

use super::file::{self, Stamp};
use super::kept::Kept;
use super::source::{LogId, Reader};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read as _};
use std::path::Path;
use std::time::{Duration, Instant};

/// Messages that are looked at: the last ones of a turn.
const MESSAGES: usize = 6;
/// A longer session is not read: nobody could hold it in a model's context.
const FILE_MAX: u64 = 64 * 1024 * 1024;
/// Of the time at most this part is spent on reading one file again and again.
const SHARE: u32 = 20;

/// Makes a record of a message.
pub(super) type Record = fn(&Value) -> Value;

/// The last messages of one session.
#[derive(Debug)]
pub(super) struct Messages {
    log: LogId,
    record: Record,
    stamp: Option<Stamp>,
    /// Until when it is left alone.
    rests: Option<Instant>,
    last: Vec<Value>,
}

impl Messages {
    /// A file of which nothing was read yet. A message without a time gets that of the file when it
    /// was first seen.
    pub(super) fn new(log: &LogId, record: Record) -> Self {
        Self { log: log.clone(), record, stamp: None, rests: None, last: Vec::new() }
    }
}

impl Reader for Messages {
    fn read(&mut self, kept: &mut Kept) -> io::Result<()> {
        let stamp = Stamp::of(&self.log.path);
        let began = Instant::now();
        if stamp == self.stamp || self.rests.is_some_and(|until| began < until) {
            return Ok(());
        }
        let file = open(&self.log.root, &self.log.path)?;
        let mut input = serde_json::Deserializer::from_reader(file);
        let messages = Session(self.record).deserialize(&mut input);
        self.rests = Some(began + (began.elapsed() * SHARE).min(Duration::from_secs(10)));
        self.stamp = stamp;
        let messages = match messages {
            Ok(messages) => messages,
            // It is just being written; the next stamp is another one.
            Err(error) if error.is_eof() || error.is_syntax() => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        if self.last.iter().ne(&messages) {
            kept.restart();
            let time = stamp.and_then(|stamp| stamp.time()).map(|time| time.to_string());
            for message in &messages {
                let mut record = message.clone();
                if let Some(record) = record.as_object_mut() {
                    record.entry("timestamp").or_insert_with(|| json!(time));
                }
                kept.take(&record.to_string());
            }
            self.last = messages.into();
        }
        Ok(())
    }
}

/// Opens a file of one object, as far as it may be read.
pub(super) fn open(root: &Path, path: &Path) -> io::Result<BufReader<io::Take<File>>> {
    Ok(BufReader::new(file::open(root, path)?.take(FILE_MAX)))
}

/// The object: of its fields only `messages` is looked at.
struct Session(Record);

impl<'de> DeserializeSeed<'de> for Session {
    type Value = VecDeque<Value>;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Session {
    type Value = VecDeque<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a session with a list of messages")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut messages = VecDeque::new();
        while let Some(name) = map.next_key::<String>()? {
            if name == "messages" {
                messages = map.next_value_seed(List(self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(messages)
    }
}

struct List(Record);

impl<'de> DeserializeSeed<'de> for List {
    type Value = VecDeque<Value>;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List {
    type Value = VecDeque<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut newest = VecDeque::new();
        while let Some(message) = list.next_element::<Value>()? {
            if newest.len() == MESSAGES {
                newest.pop_front();
            }
            newest.push_back((self.0)(&message));
        }
        Ok(newest)
    }
}

/// The fields of such a file that a type asks for; its messages are read through and not held.
pub(super) fn head<T: DeserializeOwned>(root: &Path, path: &Path) -> Option<T> {
    serde_json::from_reader(open(root, path).ok()?).ok()
}
