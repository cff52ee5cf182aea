#![allow(clippy::unwrap_used)]

use super::*;

/// What is heard when the stream comes at once and byte by byte, which must be the same.
fn heard(stream: &[u8]) -> Vec<StatusSignal> {
    let mut whole = Vec::new();
    StatusScanner::new().feed(stream, |signal| whole.push(signal));
    let mut pieces = Vec::new();
    let mut scanner = StatusScanner::new();
    for byte in stream.chunks(1) {
        scanner.feed(byte, |signal| pieces.push(signal));
    }
    assert_eq!(whole, pieces, "{:?}", String::from_utf8_lossy(stream));
    whole
}

fn reports(stream: &[u8]) -> Vec<String> {
    let told = |signal| match signal {
        StatusSignal::Report(report) => {
            let kind = report.kind.map(|kind| format!(" {}", kind.as_str())).unwrap_or_default();
            let message = report.message.map(|text| format!(" {text}")).unwrap_or_default();
            let child = if report.is_of_child { " (child)" } else { "" };
            format!("{}{kind}{message}{child}", report.state.as_str())
        }
        StatusSignal::Query(terminator) => format!("query {terminator:?}"),
        StatusSignal::Prompt => "prompt".to_owned(),
        StatusSignal::Reset => "reset".to_owned(),
    };
    heard(stream).into_iter().map(told).collect()
}

/// The report of a sequence with this body, in words.
fn body(body: &str) -> Option<String> {
    let mut told = reports(format!("\x1b]7501;{body}\x1b\\").as_bytes());
    assert!(told.len() <= 1, "{told:?}");
    told.pop()
}

#[test]
fn what_agents_were_seen_to_write() {
    // Codex 0.171, Claude Code 2.1.332.
    for (stream, told) in [
        (&b"\x1b]7501;?\x1b\\\x1b[c"[..], vec!["query St"]),
        (b"\x1b]7501;?\x07", vec!["query Bell"]),
        (b"\x1b[2J\x1b]7501;state=working:app=codex\x1b\\text", vec!["working"]),
        (b"\x1b]7501;state=blocked:app=codex:kind=permission\x07", vec!["blocked permission"]),
        (
            b"\x1b]7501;state=blocked:kind=question:app=claude:msg=V2hpY2g/\x1b\\",
            vec!["blocked question Which?"],
        ),
        (b"\x1b]7501;state=done\x1b\\\x1b]7501;state=idle\x1b\\", vec!["done", "idle"]),
        (b"\x1b]7501;state=clear\x07", vec!["clear"]),
        (b"\x1b]133;A\x07$ \x1b]133;A;k=i\x1b\\", vec!["prompt", "prompt"]),
        (b"\x1bc", vec!["reset"]),
    ] {
        assert_eq!(reports(stream), told, "{:?}", String::from_utf8_lossy(stream));
    }
}

#[test]
fn what_is_no_report() {
    for stream in [
        &b"]7501;state=done\x07"[..],
        b"\x1b]7501;state=done",
        b"\x1b]7501;state=done\x1b[0m\x07",
        b"\x1b]7501;state=done\x18\x07",
        b"\x1b]7501;state=do\x1ane\x07",
        b"\x1b]7502;state=done\x07",
        b"\x1b]75011;state=done\x07",
        b"\x1b]0;7501;state=done\x07",
        b"\x1b]52;c;]7501;state=done\x07",
        b"\x1b]133;AB\x07\x1b]133;C\x07",
        b"\x1b[7501;state=done\x07",
    ] {
        assert_eq!(reports(stream), Vec::<String>::new(), "{:?}", String::from_utf8_lossy(stream));
    }
}

#[test]
fn the_next_sequence_is_found_after_a_broken_one() {
    for broken in [
        &b"\x1b]7501;state=done\x18"[..],
        b"\x1b]7501;state=done",
        b"\x1b]7501;state=done\x1b",
        b"\x1b]0;title",
        b"\x1bP1;2|data",
        b"\x1bPtmux;\x1b",
        b"\x1b",
    ] {
        let mut stream = broken.to_vec();
        stream.extend_from_slice(b"\x1b]7501;state=working\x1b\\");
        assert_eq!(reports(&stream), ["working"], "{:?}", String::from_utf8_lossy(broken));
    }
    let passed_through = b"\x1bPtmux;\x1b\x1b]7501;state=idle\x1b\x1b\\\x1b\\";
    assert_eq!(reports(passed_through), ["idle"]);
}

#[test]
fn pairs_are_read_as_the_protocol_says() {
    for (text, told) in [
        ("state=done:state=error", Some("error")),
        ("new=1:state=idle:x", Some("idle")),
        ("STATE=x:state=idle", Some("idle")),
        ("state=idle:msg=a b", Some("idle")),
        ("state=idle:kind=permission", Some("idle")),
        ("state=blocked:kind=coffee", Some("blocked")),
        ("state=blocked:kind=auth:progress=70", Some("blocked auth")),
        ("state=working:msg=", Some("working")),
        ("state=working:id=a/b.c", Some("working (child)")),
        ("app=x", None),
        ("state=sleeping", None),
        ("state=idle:state=sleeping", None),
        ("", None),
        ("??", None),
        ("state=idle:msg=%%%", Some("idle")),
        ("state=idle:msg=abc", None),
        ("state=idle:msg=/w==", None),
        ("state=idle:msg=YQpi", None),
        ("state=idle:title=YQpi", None),
        ("state=idle:id=a//b", None),
        ("state=idle:id=", None),
        ("state=idle:id=a/b/c/d/e/f/g/h/i", None),
        ("state=idle:averyverylongkeyx=1", None),
        ("state=idle:app=x23456789012345678901234567890123", None),
    ] {
        assert_eq!(body(text).as_deref(), told, "{text}");
    }
}

#[test]
fn the_limits_hold() {
    let encoded = |bytes: usize| "YWFh".repeat(bytes / 4);
    assert!(body(&format!("state=idle:msg={}", encoded(2732))).is_some());
    assert_eq!(body(&format!("state=idle:msg={}", encoded(2736))), None);
    assert!(body(&format!("state=idle:title={}", encoded(256))).is_some());
    assert_eq!(body(&format!("state=idle:title={}", encoded(260))), None);
    // From ESC to BEL, both included.
    let of_length = |length: usize| {
        let frame = "\x1b]7501;state=idle:x=\x07".len();
        format!("\x1b]7501;state=idle:x={}\x07", "a".repeat(length - frame))
    };
    assert_eq!(reports(of_length(4096).as_bytes()), ["idle"]);
    assert_eq!(reports(of_length(4097).as_bytes()), Vec::<String>::new());
    let mut scanner = StatusScanner::new();
    scanner.feed(b"\x1b]7501;state=idle:x=", |_| {});
    for _ in 0..1000 {
        scanner.feed(&[b'a'; 4096], |_| {});
    }
    assert!(scanner.body.capacity() <= 2 * 4096, "{}", scanner.body.capacity());
}

#[test]
fn an_answer_is_the_query() {
    for terminator in [Terminator::St, Terminator::Bell] {
        assert_eq!(heard(terminator.answer()), [StatusSignal::Query(terminator)]);
    }
}

#[test]
fn the_record_is_what_stands() {
    let mut record = StatusRecord::new();
    let mut step = |stream: &str| {
        let mut written = false;
        StatusScanner::new().feed(stream.as_bytes(), |signal| written |= record.take(signal));
        (written, record.report().map(|report| report.state.as_str()))
    };
    let status = |body: &str| format!("\x1b]7501;{body}\x07");
    assert_eq!(step(&status("?")), (false, None));
    assert_eq!(step(&status("state=working")), (true, Some("working")));
    assert_eq!(step(&status("state=blocked:id=sub")), (false, Some("working")));
    assert_eq!(step(&status("state=clear:id=sub")), (false, Some("working")));
    assert_eq!(step("\x1b]133;A\x07"), (true, None), "the shell is back");
    assert_eq!(step(&status("state=done")), (true, Some("done")));
    assert_eq!(step("\x1b]133;A\x07"), (false, Some("done")));
    assert_eq!(step(&status("state=clear")), (true, None));
    assert_eq!(step(&status("state=clear")), (false, None));
    assert_eq!(step(&status("state=idle")), (true, Some("idle")));
    assert_eq!(step("\x1bc"), (true, None));
}
