//! What `madohub doctor` says of the fleet, and that its remedies help.

use super::{Machine, Reader, settings};
use madohub_tests::{Broker, BrokerOptions, Madohub, TestEnv, wait_for};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is said of the fleet: check, verdict, words, remedy.
fn findings(madohub: &Madohub) -> Vec<[String; 4]> {
    let output = madohub.try_run(&["doctor", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let all = report["findings"].as_array().unwrap().iter();
    let of_fleet = |f: &&Value| ["fleet", "broker", "publisher"].iter().any(|c| f["check"] == **c);
    let text = |f: &Value, key: &str| f[key].as_str().unwrap_or_default().to_owned();
    let fields = ["check", "verdict", "what", "remedy"];
    all.filter(of_fleet).map(|f| fields.map(|key| text(f, key))).collect()
}

/// All that is said, in order: check, verdict, a part of the words, a part of the remedy.
#[track_caller]
fn assert_findings(madohub: &Madohub, expected: &[[&str; 4]]) {
    let found = findings(madohub);
    let fits = |(f, e): (&[String; 4], &[&str; 4])| {
        f[0] == e[0] && f[1] == e[1] && f[2].contains(e[2]) && f[3].contains(e[3])
    };
    let all_fit = found.len() == expected.len() && found.iter().zip(expected).all(fits);
    assert!(all_fit, "{expected:#?}\n{found:#?}");
}

const USABLE: [&str; 4] = ["fleet", "ok", "this machine is hera", ""];
const NO_PUBLISHER: [&str; 4] = ["publisher", "note", "none runs", "madohub fleet publish"];

#[test]
fn settings_and_broker_are_looked_at_each_with_its_remedy() {
    let env = Arc::new(TestEnv::new());
    let login = Some(("mado".to_owned(), "open sesame".to_owned()));
    let mut broker = Broker::with(&env, &BrokerOptions { login, ..BrokerOptions::default() });
    let file = env.path().join("password");
    let write = |password: &str, mode: u32| {
        let _ = fs::remove_file(&file);
        fs::write(&file, password).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
    };
    let more = format!("user = \"mado\"\npassword_file = \"{}\"", file.display());
    assert_findings(&Reader::with("").madohub, &[]);
    let hera = Reader::with(&settings("hera", broker.port(), &more)).madohub;
    let no_file = ["fleet", "wrong", "cannot read the password", ""];
    assert_findings(&hera, &[no_file, NO_PUBLISHER]);
    write("open sesame", 0o644);
    assert_findings(
        &hera,
        &[["fleet", "wrong", "is open to other users", "chmod 600"], NO_PUBLISHER],
    );
    write("wrong", 0o600);
    let refused = ["broker", "wrong", "does not let us in", "fleet.password_file"];
    assert_findings(&hera, &[USABLE, refused, NO_PUBLISHER]);
    write("open sesame", 0o600);
    assert_findings(&hera, &[USABLE, ["broker", "ok", "takes us in", ""], NO_PUBLISHER]);
    broker.stop();
    let away = ["broker", "wrong", "cannot reach the broker", "Is it running"];
    assert_findings(&hera, &[USABLE, away, NO_PUBLISHER]);
    // One that takes connections and never says a word.
    let silent = TcpListener::bind(("127.0.0.1", broker.port())).unwrap();
    let before = Instant::now();
    let silence = ["broker", "wrong", "no answer within 3 s", "Is it running"];
    assert_findings(&hera, &[USABLE, silence, NO_PUBLISHER]);
    assert!(before.elapsed() < Duration::from_secs(20), "{:?}", before.elapsed());
    drop(silent);

    // A machine that only looks needs no publisher.
    let ca = format!("publish = []\nca_file = \"{}\"", env.path().join("ca.pem").display());
    let tls = settings("hera", broker.port(), &ca).replace("tls = false", "tls = true");
    let ca = ["fleet", "wrong", "no certificate can be read", "fleet.ca_file"];
    assert_findings(&Reader::with(&tls).madohub, &[ca]);
    // A name that nothing listens to: what is said of the password comes before.
    let open = settings("hera", 1, &more).replace("127.0.0.1", "broker.invalid");
    let open = findings(&Reader::with(&open).madohub);
    assert!(open.iter().any(|f| f[1] == "note" && f[2].contains("without encryption")), "{open:?}");
}

#[test]
fn a_publisher_that_runs_is_told_and_what_holds_it_up_is_wrong() {
    let env = Arc::new(TestEnv::new());
    let mut broker = Broker::new(&env);
    let mut hera = Machine::new("hera", broker.port(), "");
    hera.publish();
    let said = |verdict: &str, words: &str| {
        let found = findings(&hera.stage.madohub);
        let fits = |f: &[String; 4]| f[0] == "publisher" && f[1] == verdict && f[2].contains(words);
        if found.iter().any(fits) { Ok(()) } else { Err(format!("{found:#?}")) }
    };
    wait_for("the publisher to be told", || said("ok", "tells of 2 agents"));
    broker.stop();
    wait_for("its trouble to be told", || said("wrong", "cannot reach the broker"));
}
