//! A real MQTT broker on a loopback port, with a configuration and a folder of its own.

use crate::env::TestEnv;
use crate::wait::wait_for;
use std::fmt::Write as _;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

/// How a broker is set up.
#[derive(Debug, Clone, Default)]
pub struct BrokerOptions {
    /// The only user and the password; anybody may come in without.
    pub login: Option<(String, String)>,
    /// Certificate and key of the broker, for TLS.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// More lines of configuration.
    pub more: String,
}

/// A broker that runs until it is dropped.
#[derive(Debug)]
pub struct Broker {
    env: Arc<TestEnv>,
    dir: PathBuf,
    port: u16,
    child: Option<Child>,
}

impl Broker {
    /// Anybody may come in.
    pub fn new(env: &Arc<TestEnv>) -> Self {
        Self::with(env, &BrokerOptions::default())
    }

    /// A broker as asked for.
    pub fn with(env: &Arc<TestEnv>, options: &BrokerOptions) -> Self {
        let dir = env.path().join("broker");
        fs::create_dir_all(&dir).expect("the broker's folder");
        let mut broker = Self { env: Arc::clone(env), dir, port: free_port(), child: None };
        broker.configure(options);
        broker.start();
        broker
    }

    /// A broker that does not run yet.
    pub fn asleep(env: &Arc<TestEnv>) -> Self {
        let mut broker = Self::new(env);
        broker.stop();
        broker
    }

    fn configure(&self, options: &BrokerOptions) {
        let at = |name: &str| self.dir.join(name).display().to_string();
        let mut conf = format!(
            "listener {} 127.0.0.1\npersistence false\nlog_dest file {}\nlog_type all\n\
             connection_messages true\nuser root\n",
            self.port,
            at("log")
        );
        if let Some((user, password)) = &options.login {
            let file = at("passwords");
            let made = self
                .env
                .command("mosquitto_passwd")
                .args(["-b", "-c", &file, user, password])
                .output()
                .expect("mosquitto_passwd runs");
            assert!(made.status.success(), "{made:?}");
            let _ = writeln!(conf, "allow_anonymous false\npassword_file {file}");
        } else {
            conf.push_str("allow_anonymous true\n");
        }
        if let Some((certificate, key)) = &options.tls {
            let (certificate, key) = (certificate.display(), key.display());
            let _ = writeln!(conf, "certfile {certificate}\nkeyfile {key}");
        }
        conf.push_str(&options.more);
        fs::write(self.dir.join("mosquitto.conf"), conf).expect("the configuration");
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its process.
    pub fn pid(&self) -> i32 {
        self.child.as_ref().expect("the broker lives").id().cast_signed()
    }

    /// Starts it, and waits until it listens.
    pub fn start(&mut self) {
        let mut command: Command = self.env.command(mosquitto());
        command.arg("-c").arg(self.dir.join("mosquitto.conf"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.process_group(0);
        self.child = Some(command.spawn().expect("mosquitto runs"));
        wait_for("the broker to listen", || {
            TcpStream::connect(("127.0.0.1", self.port)).map(drop).map_err(|_| self.log())
        });
    }

    /// Ends it; what it kept is gone.
    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("the broker lived");
            child.wait().expect("the broker ends");
        }
    }

    /// Waits until a line of its log holds this.
    #[track_caller]
    pub fn wait_logged(&self, words: &str) {
        self.wait_logged_after(words, "");
    }

    /// Waits until a line of its log holds both.
    #[track_caller]
    pub fn wait_logged_after(&self, first: &str, second: &str) {
        wait_for(&format!("`{first}` … `{second}` in the broker's log"), || {
            let log = self.log();
            let holds =
                |line: &str| line.split_once(first).is_some_and(|(_, rest)| rest.contains(second));
            if log.lines().any(holds) { Ok(()) } else { Err(log) }
        });
    }

    /// What it logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.dir.join("log")).unwrap_or_default()
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The distribution keeps it where only root's `PATH` leads.
fn mosquitto() -> PathBuf {
    let usual = Path::new("/usr/sbin/mosquitto");
    if usual.exists() { usual.to_owned() } else { PathBuf::from("mosquitto") }
}

/// A port that nobody listens on now.
fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    listener.local_addr().expect("its address").port()
}
