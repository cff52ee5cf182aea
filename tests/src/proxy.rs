//! A network between a client and a broker that can be cut and slowed down.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

/// Bytes that a slow network lets through at once, and the pause between two such pieces.
const SLOW: (usize, Duration) = (512, Duration::from_millis(20));

/// Forwards connections to a port for as long as it lives.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Nothing goes through, and nobody is told.
    is_cut: Mutex<bool>,
    mended: Condvar,
    is_slow: AtomicBool,
    is_over: AtomicBool,
    /// Bytes that went to the broker.
    sent: AtomicU64,
    /// Connections so far.
    connections: AtomicU64,
    /// Both ends of the connections that there are or were.
    ends: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    /// Forwards to this port.
    pub fn to(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let own = listener.local_addr().expect("its address").port();
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if theirs.is_over.load(Ordering::Relaxed) {
                    return;
                }
                theirs.connections.fetch_add(1, Ordering::Relaxed);
                let Ok(broker) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                let mut ends = theirs.ends.lock().expect("no panic inside");
                ends.extend([&client, &broker].map(|end| end.try_clone().expect("a socket")));
                drop(ends);
                forward(&client, &broker, &theirs, true);
                forward(&broker, &client, &theirs, false);
            }
        });
        Self { port: own, shared }
    }

    /// The port to connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Lets nothing through; both sides still think that they are connected.
    pub fn cut(&self) {
        *self.shared.is_cut.lock().expect("no panic inside") = true;
    }

    /// Lets nothing through, and has both sides know.
    pub fn break_all(&self) {
        self.cut();
        for end in self.shared.ends.lock().expect("no panic inside").drain(..) {
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    /// Lets everything through again.
    pub fn mend(&self) {
        *self.shared.is_cut.lock().expect("no panic inside") = false;
        self.shared.mended.notify_all();
    }

    /// Lets only a little through at a time.
    pub fn slow(&self, is_slow: bool) {
        self.shared.is_slow.store(is_slow, Ordering::Relaxed);
    }

    /// Bytes that went to the broker so far.
    pub fn sent(&self) -> u64 {
        self.shared.sent.load(Ordering::Relaxed)
    }

    /// Connections so far.
    pub fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        self.mend();
        // So that the one who listens finds out.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn forward(from: &TcpStream, to: &TcpStream, shared: &Arc<Shared>, is_up: bool) {
    let (mut from, mut to) = (from.try_clone().expect("a socket"), to.try_clone().expect("one"));
    let shared = Arc::clone(shared);
    thread::spawn(move || {
        let mut chunk = [0; 16 * 1024];
        loop {
            let most = if shared.is_slow.load(Ordering::Relaxed) { SLOW.0 } else { chunk.len() };
            let read = from.read(&mut chunk[..most]).unwrap_or(0);
            let mut is_cut = shared.is_cut.lock().expect("no panic inside");
            while *is_cut {
                is_cut = shared.mended.wait(is_cut).expect("no panic inside");
            }
            drop(is_cut);
            if read == 0 || to.write_all(&chunk[..read]).is_err() {
                break;
            }
            if is_up {
                shared.sent.fetch_add(read as u64, Ordering::Relaxed);
            }
            if shared.is_slow.load(Ordering::Relaxed) {
                // This is the slowness itself; nothing is waited for.
                thread::sleep(SLOW.1);
            }
        }
        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    });
}
