//! The way to the broker: TCP, with TLS over it unless the settings say otherwise.

use super::link::Why;
use crate::config::Fleet;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};
use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long one address may take to answer, and TLS to be agreed on.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes that are read at once.
const CHUNK: usize = 16 * 1024;

/// What is known of the broker before anything is connected.
#[derive(Debug, Clone)]
pub struct Dial {
    broker: String,
    port: u16,
    tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
}

impl Dial {
    /// Reads the certificates that the broker's is checked with.
    pub fn new(fleet: &Fleet) -> Result<Self, crate::Error> {
        let tls = if fleet.tls { Some(tls(fleet)?) } else { None };
        Ok(Self { broker: fleet.broker.clone(), port: fleet.port, tls })
    }

    /// `mqtt.example.org:8883`, for people.
    pub fn name(&self) -> String {
        format!("{}:{}", self.broker, self.port)
    }

    /// Connects; that may take a while.
    pub fn connect(&self) -> Result<Wire, Why> {
        let unreachable = |error: io::Error| Why::Unreachable(error.to_string());
        let addresses = (self.broker.as_str(), self.port).to_socket_addrs().map_err(unreachable)?;
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
        let mut found = None;
        for address in addresses {
            match TcpStream::connect_timeout(&address, PATIENCE) {
                Ok(stream) => {
                    found = Some(stream);
                    break;
                }
                Err(error) => last = error,
            }
        }
        let Some(mut stream) = found else { return Err(unreachable(last)) };
        stream.set_nodelay(true).map_err(unreachable)?;
        let tls = match &self.tls {
            Some((config, name)) => Some(Box::new(agree(&mut stream, config, name)?)),
            None => None,
        };
        stream.set_nonblocking(true).map_err(unreachable)?;
        Ok(Wire { stream, tls })
    }
}

fn tls(fleet: &Fleet) -> Result<(Arc<ClientConfig>, ServerName<'static>), crate::Error> {
    let roots = match &fleet.ca_file {
        Some(path) => roots_of(path)?,
        None => roots_of_the_system()?,
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| crate::Error::failed(format!("cannot encrypt: {error}")))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(fleet.broker.clone()).map_err(|_| {
        crate::Error::usage(format!("fleet.broker: `{}` is no name of a host", fleet.broker))
    })?;
    Ok((Arc::new(config), name))
}

fn roots_of(path: &Path) -> Result<RootCertStore, crate::Error> {
    let none = |what: &dyn std::fmt::Display| {
        crate::Error::usage(format!("no certificate can be read in {}: {what}", path.display()))
            .remedy("fleet.ca_file is the certificate of the broker's authority, in PEM form.")
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| none(&error))? {
        let certificate = certificate.map_err(|error| none(&error))?;
        roots.add(certificate).map_err(|error| none(&error))?;
    }
    if roots.is_empty() { Err(none(&"there is none")) } else { Ok(roots) }
}

fn roots_of_the_system() -> Result<RootCertStore, crate::Error> {
    let mut roots = RootCertStore::empty();
    // One that cannot be read or used is no reason to distrust all others.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(crate::Error::failed("this system has no certificates of authorities")
            .remedy("Install them (ca-certificates), or name one by fleet.ca_file."));
    }
    Ok(roots)
}

/// Agrees on keys, while reads and writes still wait.
fn agree(
    stream: &mut TcpStream,
    config: &Arc<ClientConfig>,
    name: &ServerName<'static>,
) -> Result<ClientConnection, Why> {
    let lost = |error: io::Error| Why::Unreachable(error.to_string());
    stream.set_read_timeout(Some(PATIENCE)).map_err(lost)?;
    stream.set_write_timeout(Some(PATIENCE)).map_err(lost)?;
    let mut tls = ClientConnection::new(Arc::clone(config), name.clone())
        .map_err(|error| Why::Untrusted(error.to_string()))?;
    while tls.is_handshaking() {
        if let Err(error) = tls.complete_io(stream) {
            let is_tls = error
                .get_ref()
                .is_some_and(<dyn std::error::Error + Send + Sync>::is::<rustls::Error>);
            return Err(if is_tls || error.kind() == io::ErrorKind::UnexpectedEof {
                Why::Untrusted(error.to_string())
            } else {
                lost(error)
            });
        }
    }
    Ok(tls)
}

/// A connection that never waits.
#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    tls: Option<Box<ClientConnection>>,
}

impl Wire {
    /// Reads what is there into `into`; false at the end of the connection.
    pub fn read(&mut self, into: &mut Vec<u8>) -> io::Result<bool> {
        let mut chunk = [0; CHUNK];
        let Some(tls) = &mut self.tls else {
            return match self.stream.read(&mut chunk) {
                Ok(0) => Ok(false),
                Ok(n) => {
                    into.extend_from_slice(chunk.get(..n).unwrap_or_default());
                    Ok(true)
                }
                Err(error) if is_later(&error) => Ok(true),
                Err(error) => Err(error),
            };
        };
        let is_open = match tls.read_tls(&mut self.stream) {
            Ok(0) => false,
            Ok(_) => true,
            Err(error) if is_later(&error) => true,
            Err(error) => return Err(error),
        };
        tls.process_new_packets().map_err(io::Error::other)?;
        loop {
            match tls.reader().read(&mut chunk) {
                Ok(0) => return Ok(false),
                Ok(n) => into.extend_from_slice(chunk.get(..n).unwrap_or_default()),
                Err(error) if is_later(&error) => return Ok(is_open),
                Err(error) => return Err(error),
            }
        }
    }

    /// Writes as much of `from` as goes now, and takes it out.
    pub fn write(&mut self, from: &mut Vec<u8>) -> io::Result<()> {
        loop {
            let sent = match &mut self.tls {
                Some(tls) => {
                    while tls.wants_write() {
                        match tls.write_tls(&mut self.stream) {
                            Ok(_) => {}
                            Err(error) if is_later(&error) => return Ok(()),
                            Err(error) => return Err(error),
                        }
                    }
                    if from.is_empty() {
                        return Ok(());
                    }
                    tls.writer().write(from)?
                }
                None if from.is_empty() => return Ok(()),
                None => match self.stream.write(from) {
                    Ok(sent) => sent,
                    Err(error) if is_later(&error) => return Ok(()),
                    Err(error) => return Err(error),
                },
            };
            if sent == 0 {
                return Ok(());
            }
            from.drain(..sent.min(from.len()));
        }
    }

    /// Whether there is something to write beside what [`Wire::write`] was given.
    pub fn wants_write(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.wants_write())
    }
}

impl AsFd for Wire {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

fn is_later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
