//! Finds reports in a program's output, however it is cut into reads.

use super::Report;
use memchr::memchr;

/// Longest sequence that counts, from its first byte to its last.
const SEQUENCE_MAX: usize = 4096;
/// What a report or a query begins with, behind `ESC ]`.
const STATUS: &[u8] = b"7501;";
/// What a shell marks the start of its prompt with, behind `ESC ]`.
const PROMPT: &[u8] = b"133;A";

const BELL: u8 = 0x07;
const ESCAPE: u8 = 0x1b;
/// Both end any sequence at once.
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;

/// Something that a program's output says about its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatusSignal {
    /// It asks whether the terminal takes reports; the answer is the same bytes.
    Query(Terminator),
    /// It reports.
    Report(Report),
    /// A shell shows its prompt (OSC 133 A).
    Prompt,
    /// The terminal is reset (RIS).
    Reset,
}

/// How a sequence ended; an answer ends the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminator {
    /// `ESC \`
    St,
    /// BEL
    Bell,
}

impl Terminator {
    /// The answer to a query that ended like this: yes, reports are taken.
    pub const fn answer(self) -> &'static [u8] {
        match self {
            Self::St => b"\x1b]7501;?\x1b\\",
            Self::Bell => b"\x1b]7501;?\x07",
        }
    }
}

/// Finds what concerns the program status in a stream of output. It remembers at most one
/// sequence, of bounded length, and passes by everything else at the speed of a search for one
/// byte.
#[derive(Debug, Clone, Default)]
pub struct StatusScanner {
    place: Place,
    /// What stands behind `ESC ]`, where it may concern us.
    pub(super) body: Vec<u8>,
}

/// Where in the stream the scanner is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    /// Outside of any sequence that concerns us; within others too, which hold no ESC.
    #[default]
    Ground,
    /// Behind an ESC.
    Escape,
    /// In an OSC that may concern us.
    Collect,
    /// Behind an ESC in an OSC that may concern us.
    End,
}

impl StatusScanner {
    /// At the start of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads on; `heard` is called for everything found, in order.
    pub fn feed(&mut self, mut bytes: &[u8], mut heard: impl FnMut(StatusSignal)) {
        loop {
            if self.place == Place::Ground {
                let Some(at) = memchr(ESCAPE, bytes) else { return };
                self.place = Place::Escape;
                bytes = bytes.get(at + 1..).unwrap_or_default();
            }
            let Some((byte, rest)) = bytes.split_first() else { return };
            bytes = rest;
            self.step(*byte, &mut heard);
        }
    }

    fn step(&mut self, byte: u8, heard: &mut impl FnMut(StatusSignal)) {
        match (self.place, byte) {
            (Place::Collect | Place::End, CANCEL | SUBSTITUTE) => self.place = Place::Ground,
            (Place::Collect, BELL) => self.finish(Terminator::Bell, heard),
            (Place::Collect, ESCAPE) => self.place = Place::End,
            (Place::Collect, _) => self.collect(byte),
            (Place::End, b'\\') => self.finish(Terminator::St, heard),
            (Place::Escape | Place::End, b']') => {
                self.body.clear();
                self.place = Place::Collect;
            }
            // tmux's way to pass a sequence on doubles each ESC.
            (Place::Escape | Place::End, ESCAPE) => {}
            (Place::Escape | Place::End, b'c') => {
                self.place = Place::Ground;
                heard(StatusSignal::Reset);
            }
            _ => self.place = Place::Ground,
        }
    }

    fn collect(&mut self, byte: u8) {
        let at = self.body.len();
        let concerns = |what: &[u8]| {
            at >= what.len() || what.get(at) == Some(&byte) && what.starts_with(&self.body)
        };
        // Two bytes come before the body, and one at least after it.
        if at + 4 > SEQUENCE_MAX || !(concerns(STATUS) || concerns(PROMPT)) {
            self.place = Place::Ground;
        } else {
            self.body.push(byte);
        }
    }

    fn finish(&mut self, terminator: Terminator, heard: &mut impl FnMut(StatusSignal)) {
        self.place = Place::Ground;
        if let Some(rest) = self.body.strip_prefix(PROMPT) {
            if rest.first().is_none_or(|byte| *byte == b';') {
                heard(StatusSignal::Prompt);
            }
        } else if let Some(body) = self.body.strip_prefix(STATUS) {
            if body == b"?" {
                heard(StatusSignal::Query(terminator));
            } else if let Some(report) = std::str::from_utf8(body).ok().and_then(Report::parse) {
                heard(StatusSignal::Report(report));
            }
        }
    }
}
