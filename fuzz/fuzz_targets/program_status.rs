//! A program's output: the first byte says how it is cut, the others are the stream.
#![no_main]

use libfuzzer_sys::fuzz_target;
use madohub_detect::{StatusRecord, StatusScanner, StatusSignal};

fn heard<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<StatusSignal>, StatusRecord) {
    let (mut scanner, mut record) = (StatusScanner::new(), StatusRecord::new());
    let mut heard = Vec::new();
    for piece in pieces {
        scanner.feed(piece, |signal| {
            record.take(signal.clone());
            heard.push(signal);
        });
    }
    (heard, record)
}

fuzz_target!(|data: &[u8]| {
    let Some((cut, stream)) = data.split_first() else { return };
    let whole = heard(std::iter::once(stream));
    assert_eq!(heard(stream.chunks(usize::from(*cut) + 1)), whole);
    for signal in whole.0 {
        let StatusSignal::Report(report) = signal else { continue };
        let text = report.message.unwrap_or_default() + &report.app.unwrap_or_default();
        assert!(!text.chars().any(char::is_control), "{text:?}");
    }
});
