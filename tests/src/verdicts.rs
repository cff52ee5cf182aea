//! The plugin's parts as test programs, run in the interpreter that zellij runs plugins in.

use madohub_detect::{Detection, Observation};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wasmi::{Caller, Engine, Error, Extern, Linker, Memory, Module, Store};

/// The engine as the plugin has it, and the variable with the path of a finished one to test instead
/// of this workspace's.
const VERDICTS: &str = "verdicts.wasm";
const VARIABLE: &str = "MADOHUB_VERDICTS";
/// What compares the plugin's messages with those of zellij's own library.
const DIALECT: &str = "dialect.wasm";
/// The interface that the program is built against.
const WASI: &str = "wasi_snapshot_preview1";
/// WASI's answers: done, and no such thing.
const DONE: i32 = 0;
const BAD_FILE: i32 = 8;

/// One answer.
#[derive(Debug, Deserialize)]
pub struct Verdict {
    nanos: u64,
    /// The detection, as JSON.
    pub verdict: Value,
}

impl Verdict {
    /// How long the engine took for it.
    pub fn took(&self) -> Duration {
        Duration::from_nanos(self.nanos)
    }
}

/// What the program sees of the world.
struct World {
    input: Vec<u8>,
    read: usize,
    output: Vec<u8>,
    start: Instant,
}

/// Has every observation judged, in order.
pub fn verdicts(seen: &[Observation]) -> Vec<Verdict> {
    let lines = seen.iter().map(|seen| serde_json::to_string(seen).expect("JSON"));
    let input = lines.collect::<Vec<_>>().join("\n").into_bytes();
    let program = std::env::var_os(VARIABLE).map_or_else(|| built(VERDICTS), PathBuf::from);
    run(&program, input)
        .lines()
        .map(|line| serde_json::from_str(line).expect("a verdict"))
        .collect()
}

/// What the comparison with zellij's own library says.
pub fn dialect() -> String {
    run(&built(DIALECT), Vec::new())
}

/// Runs a program with this input, and brings its output.
fn run(program: &Path, input: Vec<u8>) -> String {
    let bytes = std::fs::read(program).unwrap_or_else(|error| {
        panic!("{}: {error}; scripts/test-programs-build.sh builds it", program.display())
    });
    let engine = Engine::default();
    let module = Module::new(&engine, &bytes[..]).expect("WebAssembly");
    let world = World { input, read: 0, output: Vec::new(), start: Instant::now() };
    let mut store = Store::new(&engine, world);
    let linker = linker(&engine).expect("functions of different names");
    let instance = linker.instantiate_and_start(&mut store, &module).expect("an instance");
    let main = instance.get_typed_func::<(), ()>(&store, "_start").expect("a program");
    if let Err(error) = main.call(&mut store, ()) {
        assert_eq!(error.i32_exit_status(), Some(0), "{error}");
    }
    String::from_utf8(store.into_data().output).expect("UTF-8")
}

/// A native answer in the same form.
pub fn as_value(detection: &Detection) -> Value {
    serde_json::to_value(detection).expect("JSON")
}

fn built(name: &str) -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    workspace.join("target/wasm32-wasip1/plugin").join(name)
}

/// As much of WASI as a program needs that reads its input and writes its output.
fn linker(engine: &Engine) -> Result<Linker<World>, Error> {
    let mut linker = Linker::new(engine);
    linker.func_wrap(
        WASI,
        "fd_read",
        |mut caller: Caller<'_, World>, fd: i32, iovs: i32, count: i32, done: i32| {
            if fd != 0 {
                return BAD_FILE;
            }
            let memory = memory(&caller);
            let mut total = 0;
            for (at, len) in pieces(memory, &caller, iovs, count) {
                let world = caller.data();
                let rest = &world.input[world.read..];
                let piece = rest[..len.min(rest.len())].to_vec();
                memory.write(&mut caller, at, &piece).expect("room");
                caller.data_mut().read += piece.len();
                total += piece.len();
            }
            put(memory, &mut caller, done, total)
        },
    )?;
    linker.func_wrap(
        WASI,
        "fd_write",
        |mut caller: Caller<'_, World>, fd: i32, iovs: i32, count: i32, done: i32| {
            let memory = memory(&caller);
            let mut total = 0;
            for (at, len) in pieces(memory, &caller, iovs, count) {
                let mut piece = vec![0; len];
                memory.read(&caller, at, &mut piece).expect("text");
                match fd {
                    1 => caller.data_mut().output.extend(piece),
                    _ => eprint!("{}", String::from_utf8_lossy(&piece)),
                }
                total += len;
            }
            put(memory, &mut caller, done, total)
        },
    )?;
    linker.func_wrap(
        WASI,
        "clock_time_get",
        |mut caller: Caller<'_, World>, _: i32, _: i64, at: i32| {
            let nanos =
                u64::try_from(caller.data().start.elapsed().as_nanos()).expect("a short run");
            let memory = memory(&caller);
            memory.write(&mut caller, place(at), &nanos.to_le_bytes()).expect("room");
            DONE
        },
    )?;
    linker.func_wrap(WASI, "random_get", |mut caller: Caller<'_, World>, at: i32, len: i32| {
        let memory = memory(&caller);
        memory.write(&mut caller, place(at), &vec![7; place(len)]).expect("room");
        DONE
    })?;
    linker.func_wrap(
        WASI,
        "environ_sizes_get",
        |mut caller: Caller<'_, World>, count: i32, size: i32| {
            let memory = memory(&caller);
            put(memory, &mut caller, count, 0) | put(memory, &mut caller, size, 0)
        },
    )?;
    linker.func_wrap(WASI, "environ_get", |_: i32, _: i32| DONE)?;
    linker.func_wrap(WASI, "proc_exit", |code: i32| -> Result<(), Error> {
        Err(Error::i32_exit(code))
    })?;
    Ok(linker)
}

fn memory(caller: &Caller<'_, World>) -> Memory {
    caller.get_export("memory").and_then(Extern::into_memory).expect("a memory")
}

fn place(number: i32) -> usize {
    usize::try_from(number.cast_unsigned()).expect("32 bits")
}

/// The pieces of memory that a list of `count` (place, length) pairs names.
fn pieces(
    memory: Memory,
    caller: &Caller<'_, World>,
    list: i32,
    count: i32,
) -> Vec<(usize, usize)> {
    let word = |at: usize| {
        let mut bytes = [0; 4];
        memory.read(caller, at, &mut bytes).expect("a list");
        usize::try_from(u32::from_le_bytes(bytes)).expect("32 bits")
    };
    (0..place(count)).map(|n| place(list) + 8 * n).map(|at| (word(at), word(at + 4))).collect()
}

/// Writes a number where the program wants it.
fn put(memory: Memory, caller: &mut Caller<'_, World>, at: i32, number: usize) -> i32 {
    let number = u32::try_from(number).expect("32 bits");
    memory.write(caller, place(at), &number.to_le_bytes()).expect("room");
    DONE
}
