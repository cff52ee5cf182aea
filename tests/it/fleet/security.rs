//! Passwords, certificates, and who is let in.

use super::{Machine, Reader, settings};
use madohub_tests::{Broker, BrokerOptions, TestEnv, wait_for};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn password_file(env: &TestEnv, password: &str, mode: u32) -> PathBuf {
    let path = env.path().join("password");
    fs::write(&path, format!("{password}\n")).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    path
}

#[test]
fn a_password_is_needed_and_must_be_kept() {
    let env = Arc::new(TestEnv::new());
    let login = Some(("mado".to_owned(), "open sesame".to_owned()));
    let broker = Broker::with(&env, &BrokerOptions { login, ..BrokerOptions::default() });
    let file = env.path().join("password");
    let more = format!("user = \"mado\"\npassword_file = \"{}\"", file.display());
    let hera = Reader::with(&settings("hera", broker.port(), &more));
    for (password, mode, code, words) in [
        ("open sesame", 0o600, 0, ""),
        ("open sesame", 0o400, 0, ""),
        ("wrong", 0o600, 2, "user or password are not accepted"),
        ("open sesame", 0o644, 4, "is open to other users"),
        ("", 0o600, 2, "holds nothing"),
    ] {
        let _ = fs::remove_file(&file);
        password_file(&env, password, mode);
        for command in
            [&["fleet", "list"][..], &["fleet", "status"], &["fleet", "send", "x:%1", "a"]]
        {
            let output = hera.madohub.try_run(command);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            // Nobody is there to send to.
            let code = if code == 0 && command[1] == "send" { 1 } else { code };
            assert_eq!(output.status.code(), Some(code), "{command:?} {mode:o}: {said}");
            assert!(said.contains(words), "{command:?} {mode:o}: {said}");
            assert!(!said.contains("sesame"), "{said}");
        }
    }
    let _ = fs::remove_file(&file);
    let publish = hera.madohub.try_run(&["fleet", "publish"]);
    assert_eq!(publish.status.code(), Some(2), "no file at all");
    password_file(&env, "wrong", 0o600);
    let mut zeus = Machine::new("zeus", broker.port(), &more);
    zeus.publish();
    zeus.wait_said("does not let us in: user or password are not accepted; it is tried again");
}

/// Makes an authority, and a certificate for `localhost` by it; the paths of the authority's, and of
/// certificate and key.
fn certificates(env: &TestEnv, name: &str) -> (PathBuf, (PathBuf, PathBuf)) {
    let dir = env.path().join(name);
    fs::create_dir_all(&dir).unwrap();
    let openssl = |line: &str| {
        let mut command = env.command("openssl");
        let output = command.args(line.split_whitespace()).current_dir(&dir).output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
    };
    openssl(
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test-ca \
         -addext basicConstraints=critical,CA:TRUE -keyout ca.key -out ca.pem",
    );
    openssl(
        "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost \
         -keyout key.pem -out request.pem",
    );
    fs::write(dir.join("names"), "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n")
        .unwrap();
    openssl(
        "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names \
         -out cert.pem",
    );
    (dir.join("ca.pem"), (dir.join("cert.pem"), dir.join("key.pem")))
}

#[test]
fn a_broker_must_prove_who_it_is() {
    let env = Arc::new(TestEnv::new());
    let (ca, tls) = certificates(&env, "ca");
    let (other_ca, _) = certificates(&env, "other");
    let broker = Broker::with(&env, &BrokerOptions { tls: Some(tls), ..BrokerOptions::default() });
    let with = |broker_name: &str, ca: &Path| {
        format!(
            "[fleet]\nbroker = \"{broker_name}\"\nport = {}\nca_file = \"{}\"\nhost = \"zeus\"\n",
            broker.port(),
            ca.display()
        )
    };
    let mut zeus = Machine::new("zeus", broker.port(), "");
    zeus.stage.configure(&with("localhost", &ca));
    zeus.publish();
    zeus.wait_states_of("zeus", &["waiting", "working"]);
    for (settings, code, words) in [
        (with("localhost", &other_ca), 4, "is not trusted"),
        // The certificate is for another name.
        (with("127.0.0.1", &ca), 4, "is not trusted"),
        (with("localhost", &env.path().join("none.pem")), 2, "no certificate can be read"),
        (with("localhost", &env.path().join("broker/mosquitto.conf")), 2, "there is none"),
    ] {
        let hera = Reader::with(&settings);
        let output = hera.list();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{settings}: {said}");
        assert!(said.contains(words), "{settings}: {said}");
    }
    // Without TLS nothing is said to a broker that wants it.
    let plain = Reader::with(&super::settings("hera", broker.port(), ""));
    let code = wait_for("an answer", || plain.list().status.code().ok_or_else(String::new));
    assert_eq!(code, 3);
}

#[test]
fn what_the_broker_does_not_allow_is_said() {
    let env = Arc::new(TestEnv::new());
    let acl = env.path().join("acl");
    fs::write(&acl, "user mado\ntopic readwrite madohub/zeus/#\ntopic read madohub/#\n").unwrap();
    let login = Some(("mado".to_owned(), "open sesame".to_owned()));
    let more = format!("acl_file {}\n", acl.display());
    let broker = Broker::with(&env, &BrokerOptions { login, more, ..BrokerOptions::default() });
    let file = password_file(&env, "open sesame", 0o600);
    let more = format!("user = \"mado\"\npassword_file = \"{}\"", file.display());
    let mut zeus = Machine::new("zeus", broker.port(), &more);
    zeus.publish();
    zeus.wait_states_of("zeus", &["waiting", "working"]);
    // The same user under another machine's name.
    let hera = Reader::with(&settings("hera", broker.port(), &more));
    assert_eq!(hera.rows().len(), 2);
    let log = fs::File::create(hera.env.path().join("log")).unwrap();
    let mut publish = hera.madohub.command(&["fleet", "publish"]).stderr(log).spawn().unwrap();
    wait_for("what is not allowed", || {
        let said = fs::read_to_string(hera.env.path().join("log")).unwrap();
        let is_said = said.contains("does not allow to write below madohub/hera/");
        if is_said { Ok(()) } else { Err(said) }
    });
    publish.kill().unwrap();
    publish.wait().unwrap();
}
