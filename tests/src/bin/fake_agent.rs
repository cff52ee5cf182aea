//! Plays a recorded agent in a terminal: its screens, titles, cursor, processes and registry.
//!
//! It is started under the real agent's name, finds its role by the pane that it runs in, and
//! goes from scene to scene when a test says so on its socket or a person presses a key.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a fake that cannot play its role must fail where a test sees it"
)]

use madohub_tests::recording::{
    Cue, DEPTH_VARIABLE, Done, ROLE_VARIABLE, Recording, Role, Scene, role_path,
};
use rustix::process::{Signal, kill_current_process_group};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGTERM, SIGWINCH};
use signal_hook::iterator::Signals;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write, stdin, stdout};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// One turn of a spinner; agents take 80 to 150 ms.
const FRAME: Duration = Duration::from_millis(120);

/// How many typed bytes are kept.
const TYPED: usize = 4096;

/// The marks around a pasted text.
const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

fn main() {
    let role = Role::find();
    let recording = Recording::read(&role.recording);
    let depth: usize = std::env::var(DEPTH_VARIABLE).map_or(0, |s| s.parse().unwrap());
    if let Some(comm) = &recording.process[depth].comm {
        std::fs::write("/proc/self/comm", comm).unwrap();
    }
    if depth + 1 < recording.process.len() {
        launch(&recording, depth + 1);
    }
    Player::new(recording, &role).play(&role.socket);
}

trait Find {
    fn find() -> Self;
}

impl Find for Role {
    fn find() -> Self {
        let path = std::env::var_os(ROLE_VARIABLE).map_or_else(role_of_this_pane, PathBuf::from);
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("no role at {}: {error}", path.display()));
        serde_json::from_str(&text).expect("a role")
    }
}

fn role_of_this_pane() -> PathBuf {
    let tmux = std::env::var("TMUX").expect("in tmux, or with a role in the environment");
    let server = Path::new(tmux.split(',').next().unwrap()).file_name().unwrap();
    let pane = std::env::var("TMUX_PANE").unwrap();
    role_path(std::env::current_exe().unwrap().parent().unwrap(), server.to_str().unwrap(), &pane)
}

/// Starts the next process of the agent and ends with it.
fn launch(recording: &Recording, depth: usize) -> ! {
    let next = &recording.process[depth];
    let program = std::env::current_exe().unwrap().with_file_name(&next.name);
    let mut child = Command::new(program);
    child.arg0(&next.argv[0]).args(&next.argv[1..]).env(DEPTH_VARIABLE, depth.to_string());
    let status = child.status().expect("the agent's own process");
    exit(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
}

enum Happening {
    Cue(Cue, Sender<Done>),
    Key(u8),
    /// Text between the marks of a bracketed paste.
    Paste(Vec<u8>),
    Signal(i32),
}

struct Player {
    recording: Recording,
    scene: Scene,
    rows: Vec<String>,
    terminal: Terminal,
    registry: Option<PathBuf>,
    frame: usize,
    spins: bool,
    /// Every byte that was typed or pasted, the last ones.
    typed: Vec<u8>,
    /// What stands in the input box.
    composed: Vec<u8>,
    /// Takes down every prompt that was sent, one JSON string a line.
    prompts: PathBuf,
}

impl Player {
    fn new(recording: Recording, role: &Role) -> Self {
        let scene = recording.scene(&role.scene).clone();
        let rows = recording.rows(&scene);
        let registry = recording.registry.then(|| {
            let home = PathBuf::from(std::env::var_os("HOME").unwrap());
            let dir = home.join(".claude/sessions");
            std::fs::create_dir_all(&dir).unwrap();
            dir.join(format!("{}.json", std::process::id()))
        });
        Self {
            recording,
            scene,
            rows,
            terminal: Terminal::raw(),
            registry,
            frame: 0,
            spins: true,
            typed: Vec::new(),
            composed: Vec::new(),
            prompts: role.socket.with_extension("prompts"),
        }
    }

    fn play(mut self, socket: &Path) -> ! {
        let (sender, receiver) = channel();
        // Before the first screen: a pane that gets its size in this moment has to be drawn again.
        catch_signals(sender.clone());
        self.terminal.write("\x1b[?2004h");
        self.show();
        listen(socket, &sender);
        read_keys(sender);
        loop {
            let animates = self.spins && self.scene.spinner.is_some();
            let wait = if animates { FRAME } else { Duration::from_hours(1) };
            match receiver.recv_timeout(wait) {
                Ok(Happening::Cue(cue, answer)) => {
                    let end = self.take(cue);
                    // Who asked may be gone.
                    let pid = std::process::id().cast_signed();
                    let done =
                        Done { pid, written: self.terminal.written, typed: self.typed.clone() };
                    let _ = answer.send(done);
                    if let Some(status) = end {
                        self.end(status);
                    }
                }
                Ok(Happening::Key(key)) => self.press(key),
                Ok(Happening::Paste(text)) => {
                    self.note_typed(&[PASTE_START, text.as_slice(), PASTE_END].concat());
                    self.type_in(&text);
                }
                Ok(Happening::Signal(SIGHUP | SIGTERM)) => self.end(0),
                Ok(Happening::Signal(SIGCONT)) => {
                    self.terminal.enter_raw();
                    self.draw();
                }
                Ok(Happening::Signal(_)) => self.draw(),
                Err(RecvTimeoutError::Timeout) => self.spin(),
                Err(RecvTimeoutError::Disconnected) => self.end(1),
            }
        }
    }

    /// Does what a test says; the answer is an exit status when that is the end.
    fn take(&mut self, cue: Cue) -> Option<u8> {
        match cue {
            Cue::Ping => {}
            Cue::Show { scene } => self.go_to(&scene),
            Cue::Rows { rows } => {
                self.rows = rows;
                self.draw();
            }
            Cue::Title { title } => self.terminal.write(&format!("\x1b]2;{title}\x1b\\")),
            Cue::Step => {
                self.spins = false;
                self.spin();
            }
            Cue::Exit { status } => return Some(status),
        }
        None
    }

    fn go_to(&mut self, scene: &str) {
        self.scene = self.recording.scene(scene).clone();
        self.rows = self.recording.rows(&self.scene);
        self.show();
    }

    fn press(&mut self, key: u8) {
        self.note_typed(&[key]);
        let name = match key {
            0x1b => "esc",
            b'\r' if self.scene.composer.is_some() => return self.send(),
            b'\r' => "enter",
            0x03 => self.end(0),
            0x1a => return self.suspend(),
            key => return self.type_in(&[key]),
        };
        if let Some(next) = self.scene.keys.get(name).cloned() {
            self.go_to(&next);
        }
    }

    fn note_typed(&mut self, bytes: &[u8]) {
        self.typed.extend_from_slice(bytes);
        let old = self.typed.len().saturating_sub(TYPED);
        self.typed.drain(..old);
    }

    /// Text goes into the input box, where the scene has one.
    fn type_in(&mut self, text: &[u8]) {
        if self.scene.composer.is_some() {
            self.composed.extend_from_slice(text);
            self.draw();
        }
    }

    /// Enter: what stands in the input box begins a turn. An empty box begins none.
    fn send(&mut self) {
        if self.composed.is_empty() {
            return;
        }
        let prompt = String::from_utf8_lossy(&std::mem::take(&mut self.composed)).into_owned();
        let mut file = OpenOptions::new().create(true).append(true).open(&self.prompts).unwrap();
        writeln!(file, "{}", serde_json::to_string(&prompt).unwrap()).unwrap();
        match self.scene.keys.get("enter").cloned() {
            Some(next) => self.go_to(&next),
            None => self.draw(),
        }
    }

    fn suspend(&self) {
        self.terminal.leave_raw();
        kill_current_process_group(Signal::TSTP).unwrap();
    }

    /// Everything that a scene changes outside the program.
    fn show(&mut self) {
        if let Some(title) = &self.scene.title {
            let set = format!("\x1b]2;{title}\x1b\\");
            self.terminal.write(&set);
        }
        self.draw();
        // Claude Code 2.1 writes its registry 0.06 to 0.3 s after its screen.
        self.write_registry();
    }

    /// Draws the whole scene in one write. A pane that is higher than the recording keeps the
    /// input box at its bottom, one that is lower loses the top rows.
    fn draw(&mut self) {
        let (cols, height) = Terminal::size();
        let blank = height.saturating_sub(self.rows.len());
        let hidden = self.rows.len().saturating_sub(height);
        let screen = if self.scene.alternate { "\x1b[?1049h" } else { "\x1b[?1049l" };
        let mut frame = format!("\x1b[?25l{screen}\x1b[m\x1b[H\x1b[2J\x1b[?7l");
        for y in hidden..self.rows.len() {
            write!(frame, "\x1b[{};1H{}\x1b[m", y + blank - hidden + 1, self.turn(y)).unwrap();
        }
        frame.push_str("\x1b[?7h");
        if let Some((x, y)) = self.scene.cursor {
            let y = (usize::from(y) + blank).saturating_sub(hidden).min(height.max(1) - 1);
            let x = usize::from(x).min(cols.max(1) - 1);
            write!(frame, "\x1b[{};{}H\x1b[?25h", y + 1, x + 1).unwrap();
        }
        if let Some((x, y)) = self.scene.composer.filter(|_| !self.composed.is_empty()) {
            let y = (usize::from(y) + blank).saturating_sub(hidden);
            let text = String::from_utf8_lossy(&self.composed);
            let line: String = text.lines().next().unwrap_or_default().chars().take(20).collect();
            // The hint of an empty box goes; a cursor that is shown stays behind the text.
            write!(frame, "\x1b[{};{}H\x1b[m{:30}", y + 1, x + 1, "").unwrap();
            write!(frame, "\x1b[{};{}H{line}", y + 1, x + 1).unwrap();
        }
        self.terminal.write(&frame);
    }

    /// A row as it looks at the spinner's present frame.
    fn turn(&self, y: usize) -> String {
        let row = self.rows[y].as_str();
        match &self.scene.spinner {
            Some(spinner) if spinner.row == y => spinner.turn(row, self.frame),
            _ => row.to_owned(),
        }
    }

    /// Draws only the row of the spinner, as agents do.
    fn spin(&mut self) {
        self.frame += 1;
        let Some(spinner) = &self.scene.spinner else { return };
        if spinner.row >= self.rows.len() {
            return;
        }
        let height = Terminal::size().1;
        if let Some(y) = (spinner.row + height).checked_sub(self.rows.len()) {
            let row = self.turn(spinner.row);
            self.terminal.write(&format!("\x1b7\x1b[{};1H{row}\x1b[m\x1b8", y + 1));
        }
    }

    fn write_registry(&self) {
        let (Some(path), Some(status)) = (&self.registry, &self.scene.status) else { return };
        let process = std::fs::read_to_string("/proc/self/stat").unwrap();
        let start = process.rsplit(')').next().unwrap().split_whitespace().nth(19).unwrap();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
        let mut entry = serde_json::json!({
            "pid": std::process::id(),
            "sessionId": "464d62ad-70e2-4a3a-aeb8-c9da98207252",
            "cwd": std::env::current_dir().unwrap(),
            "procStart": start,
            "version": self.recording.version,
            "kind": "interactive",
            "entrypoint": "cli",
            "status": status,
            "statusUpdatedAt": u64::try_from(now).unwrap(),
        });
        if let Some(waits) = &self.scene.waiting_for {
            entry["waitingFor"] = waits.as_str().into();
        }
        let new = path.with_extension("new");
        std::fs::write(&new, entry.to_string()).unwrap();
        std::fs::rename(new, path).unwrap();
    }

    fn end(&mut self, status: u8) -> ! {
        if let Some(path) = &self.registry {
            // The scene may have written none.
            let _ = std::fs::remove_file(path);
        }
        self.terminal.write("\x1b[m\x1b[?2004l\x1b[?1049l\x1b[?25h\x1b]2;\x1b\\\r\n");
        self.terminal.leave_raw();
        exit(i32::from(status))
    }
}

struct Terminal {
    cooked: Termios,
    written: u64,
}

impl Terminal {
    fn raw() -> Self {
        let terminal = Self { cooked: tcgetattr(stdin()).expect("a terminal"), written: 0 };
        terminal.enter_raw();
        terminal
    }

    fn enter_raw(&self) {
        let mut raw = self.cooked.clone();
        raw.make_raw();
        tcsetattr(stdin(), OptionalActions::Now, &raw).unwrap();
    }

    fn leave_raw(&self) {
        // The terminal may be gone.
        let _ = tcsetattr(stdin(), OptionalActions::Drain, &self.cooked);
    }

    fn size() -> (usize, usize) {
        tcgetwinsize(stdout()).map_or((80, 24), |s| (s.ws_col.into(), s.ws_row.into()))
    }

    fn write(&mut self, text: &str) {
        let mut out = stdout().lock();
        if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
            exit(0);
        }
        self.written += text.len() as u64;
    }
}

fn listen(socket: &Path, sender: &Sender<Happening>) {
    // A former run in this pane may have left its socket.
    let _ = std::fs::remove_file(socket);
    let listener = UnixListener::bind(socket).expect("the socket for cues");
    let sender = sender.clone();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let sender = sender.clone();
            thread::spawn(move || serve(&client, &sender));
        }
    });
}

fn serve(client: &UnixStream, sender: &Sender<Happening>) {
    for line in BufReader::new(client).lines().map_while(Result::ok) {
        let cue = serde_json::from_str(&line).expect("a cue");
        let (answer, done) = channel();
        if sender.send(Happening::Cue(cue, answer)).is_err() {
            return;
        }
        let Ok(done) = done.recv() else { return };
        let mut client = client;
        if writeln!(client, "{}", serde_json::to_string(&done).unwrap()).is_err() {
            return;
        }
    }
}

fn read_keys(sender: Sender<Happening>) {
    thread::spawn(move || {
        let (mut stdin, mut chunk, mut left) = (stdin().lock(), [0; 4096], Vec::new());
        while let Ok(read) = stdin.read(&mut chunk)
            && read > 0
        {
            left.extend_from_slice(&chunk[..read]);
            while let Some(happening) = next_input(&mut left) {
                if sender.send(happening).is_err() {
                    return;
                }
            }
        }
    });
}

/// Takes a key or a whole paste off the input; nothing where a paste has only begun.
fn next_input(input: &mut Vec<u8>) -> Option<Happening> {
    if input.starts_with(PASTE_START) {
        let end = input.windows(PASTE_END.len()).position(|bytes| bytes == PASTE_END)?;
        let text = input[PASTE_START.len()..end].to_vec();
        input.drain(..end + PASTE_END.len());
        return Some(Happening::Paste(text));
    }
    // The first bytes of a mark; Escape alone is a key.
    if input.len() > 1 && PASTE_START.starts_with(input) {
        return None;
    }
    (!input.is_empty()).then(|| Happening::Key(input.remove(0)))
}

fn catch_signals(sender: Sender<Happening>) {
    let mut signals = Signals::new([SIGWINCH, SIGCONT, SIGHUP, SIGTERM]).unwrap();
    thread::spawn(move || {
        for signal in signals.forever() {
            if sender.send(Happening::Signal(signal)).is_err() {
                return;
            }
        }
    });
}
