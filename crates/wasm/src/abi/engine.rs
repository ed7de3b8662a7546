//! The session interface: lines in, lines out, and jobs.

use super::{give, take_input};
use crate::engine::{Engine, Host};
use millbrain::platform::{self, Body};
use std::ffi::c_void;
use std::sync::OnceLock;
use std::time::Duration;

mod host {
    use std::ffi::c_void;

    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Returns milliseconds since any fixed moment.
        pub safe fn now() -> f64;
        /// Receives a piece of output in UTF-8.
        pub fn emit(text: *const u8, length: usize);
        /// Lets the host pass lines; 1 while the search only waits for one.
        pub safe fn pulse(waiting: u32);
        /// Starts a thread that calls [`super::thread`] with this body, on a stack of `stack` bytes; returns 0 if it
        /// cannot.
        pub safe fn spawn(body: *mut c_void, stack: usize) -> u32;
    }
}

static ENGINE: OnceLock<Engine> = OnceLock::new();
fn clock() -> Duration {
    Duration::from_micros((host::now() * 1000.0) as u64)
}

fn emit(text: &[u8]) {
    // SAFETY: the host reads this many bytes from there, before it returns.
    unsafe { host::emit(text.as_ptr(), text.len()) }
}

fn pulse(waiting: bool) {
    host::pulse(waiting.into());
}

fn spawn(stack: usize, body: Body) -> bool {
    let body = Box::into_raw(Box::new(body));
    let started = host::spawn(body.cast(), stack) != 0;
    if !started {
        // SAFETY: the host has not taken it.
        drop(unsafe { Box::from_raw(body) });
    }
    started
}

fn engine() -> Option<&'static Engine> {
    ENGINE.get()
}

/// Starts the session with a seed for random choices and at most `threads` threads; returns 0 if there is no memory for
/// it. Only the first call counts.
// SAFETY: no other function has this name; the same applies below.
#[unsafe(no_mangle)]
pub extern "C" fn start(seed: f64, threads: u32) -> u32 {
    platform::install_clock(clock);
    platform::install_spawner(spawn);
    fastrand::seed(seed.to_bits());
    // A panic ends the module; its message follows the protocol.
    std::panic::set_hook(Box::new(|panic| emit(format!("\ninfo string internal error: {panic}\n").as_bytes())));
    let Ok(engine) = Engine::new(Host { emit, pulse }, threads.into()) else { return 0 };
    u32::from(ENGINE.set(engine).is_ok())
}

/// Allocates `length` bytes for a thread's stack and variables, never freed since the host reuses threads.
#[unsafe(no_mangle)]
pub extern "C" fn thread_memory(length: usize) -> *mut u8 {
    // Aligned as a stack requires.
    vec![0_u128; length.div_ceil(size_of::<u128>())].leak().as_mut_ptr().cast()
}

/// Entry of a new thread: runs the body that [`spawn`] has passed to the host.
///
/// # Safety
/// `body` comes from there and is run once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thread(body: *mut c_void) {
    // SAFETY: as the caller promises.
    let body = unsafe { Box::from_raw(body.cast::<Body>()) };
    body();
}

/// Passes the input as a line.
#[unsafe(no_mangle)]
pub extern "C" fn line() {
    let input = take_input();
    if let Some(engine) = engine() {
        engine.line(&String::from_utf8_lossy(&input));
    }
}

/// Runs the started job; returns 1 if there was one.
#[unsafe(no_mangle)]
pub extern "C" fn run() -> u32 {
    engine().is_some_and(Engine::run).into()
}

/// Ends the input.
#[unsafe(no_mangle)]
pub extern "C" fn end_of_input() {
    if let Some(engine) = engine() {
        engine.end_of_input();
    }
}

/// Returns 1 if the session is over.
#[unsafe(no_mangle)]
pub extern "C" fn is_finished() -> u32 {
    engine().is_none_or(Engine::is_finished).into()
}

/// Answers with the names of missing files, one per line.
#[unsafe(no_mangle)]
pub extern "C" fn missing() -> usize {
    give(engine().map(Engine::missing).unwrap_or_default().join("\n"))
}

/// Returns the first line of the input, and what follows it.
fn take_headed() -> (String, Vec<u8>) {
    let mut input = take_input();
    let end = input.iter().position(|&byte| byte == b'\n').unwrap_or(input.len());
    let rest = input.split_off((end + 1).min(input.len()));
    input.truncate(end);
    (String::from_utf8_lossy(&input).into_owned(), rest)
}

/// Installs the input as a file: its name, a line feed, and its bytes. Answers with a fault or an empty text.
#[unsafe(no_mangle)]
pub extern "C" fn install() -> usize {
    let (file, bytes) = take_headed();
    let installed = engine().map_or(Ok(()), |engine| engine.install(&file, bytes));
    give(installed.err().map(|error| error.to_string()).unwrap_or_default())
}

/// Answers with the bytes that the position needs of files on hosts for a `probe`, or for a search: a line
/// `FROM LENGTH ADDRESS` for each range.
#[unsafe(no_mangle)]
pub extern "C" fn wanted(search: u32) -> usize {
    give(engine().map(|engine| engine.wanted(search != 0)).unwrap_or_default().join("\n"))
}

/// Passes bytes of a file on a host: `FROM TOTAL ADDRESS`, a line feed, and the bytes. Answers with a fault or an empty
/// text.
#[unsafe(no_mangle)]
pub extern "C" fn supply() -> usize {
    let (head, bytes) = take_headed();
    give(engine().map_or(Ok(()), |engine| engine.supply(&head, &bytes)).err().unwrap_or_default())
}

/// Notes that a file on a host cannot be read: its address, a line feed, and the reason.
#[unsafe(no_mangle)]
pub extern "C" fn lack() {
    let (address, reason) = take_headed();
    if let Some(engine) = engine() {
        engine.lack(&address, &String::from_utf8_lossy(&reason));
    }
}

/// Drops what is known of the file on a host whose address is the input, since it has been replaced.
#[unsafe(no_mangle)]
pub extern "C" fn renew() {
    let (address, _) = take_headed();
    if let Some(engine) = engine() {
        engine.renew(&address);
    }
}

/// Returns the number of pieces on the board and in hand.
#[unsafe(no_mangle)]
pub extern "C" fn men() -> usize {
    engine().map_or(0, Engine::men)
}
