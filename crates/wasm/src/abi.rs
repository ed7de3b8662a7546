//! The functions that the host calls and provides. Texts and files cross the border through two buffers, one for each
//! direction.
#![expect(unsafe_code, reason = "a function of a module that is not Rust has no safe form")]

use crate::engine::{Engine, Host};
use crate::games::{self, Fault};
use crate::state;
use millbrain::games::marks::MARKS;
use millbrain::platform::{self, Body};
use millbrain::search::score::wdl;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

mod host {
    use std::ffi::c_void;

    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Milliseconds since any fixed moment.
        pub safe fn now() -> f64;
        /// Takes a piece of output in UTF-8.
        pub fn emit(text: *const u8, length: usize);
        /// Lets the host hand over lines; 1 while the search only waits for one.
        pub safe fn pulse(waiting: u32);
        /// Starts a thread that calls [`super::thread`] with this body, on a stack of so many bytes; 0 if there is none.
        pub safe fn spawn(body: *mut c_void, stack: usize) -> u32;
    }
}

static ENGINE: OnceLock<Engine> = OnceLock::new();
/// What the host hands over with the next call.
static INPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
/// What the last call that answers has answered.
static ANSWER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn lock(buffer: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    buffer.lock().unwrap_or_else(PoisonError::into_inner)
}

fn take_input() -> Vec<u8> {
    std::mem::take(&mut *lock(&INPUT))
}

/// Keeps an answer for [`answer`]; returns its length.
fn give(answer: impl Into<Vec<u8>>) -> usize {
    let mut kept = lock(&ANSWER);
    *kept = answer.into();
    kept.len()
}

fn clock() -> Duration {
    Duration::from_micros((host::now() * 1000.0) as u64)
}

fn emit(text: &[u8]) {
    // SAFETY: the host reads so many bytes from there, before it returns.
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

/// Starts the session with a seed for random choices and at most so many threads; 0 if there is no memory for it. The
/// first call counts.
// SAFETY: the name is that of no other function; so it is below.
#[unsafe(no_mangle)]
pub extern "C" fn start(seed: f64, threads: u32) -> u32 {
    platform::install_clock(clock);
    platform::install_spawner(spawn);
    fastrand::seed(seed.to_bits());
    // A panic ends the module; its last words are in the language of the protocol.
    std::panic::set_hook(Box::new(|panic| emit(format!("\ninfo string internal error: {panic}\n").as_bytes())));
    let Ok(engine) = Engine::new(Host { emit, pulse }, threads.into()) else { return 0 };
    u32::from(ENGINE.set(engine).is_ok())
}

/// Memory for the stack and the variables of a thread: so many bytes, never given back, since the host keeps threads.
#[unsafe(no_mangle)]
pub extern "C" fn thread_memory(length: usize) -> *mut u8 {
    // Aligned as a stack has to be.
    vec![0_u128; length.div_ceil(size_of::<u128>())].leak().as_mut_ptr().cast()
}

/// What a new thread calls: runs the body that [`spawn`] has handed to the host.
///
/// # Safety
/// `body` comes from there, and is run once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thread(body: *mut c_void) {
    // SAFETY: as the caller promises.
    let body = unsafe { Box::from_raw(body.cast::<Body>()) };
    body();
}

/// Makes room for so many bytes of input and returns where the host is to write them.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    let mut input = lock(&INPUT);
    *input = vec![0; length];
    input.as_mut_ptr()
}

/// Where the last answer is; the function that gave it returned its length.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    lock(&ANSWER).as_ptr()
}

/// Hands over the input as a line.
#[unsafe(no_mangle)]
pub extern "C" fn line() {
    let input = take_input();
    if let Some(engine) = engine() {
        engine.line(&String::from_utf8_lossy(&input));
    }
}

/// Runs the job that has been begun; 1 if there was one.
#[unsafe(no_mangle)]
pub extern "C" fn run() -> u32 {
    engine().is_some_and(Engine::run).into()
}

/// No more lines will come.
#[unsafe(no_mangle)]
pub extern "C" fn end_of_input() {
    if let Some(engine) = engine() {
        engine.end_of_input();
    }
}

/// 1 if the session is over.
#[unsafe(no_mangle)]
pub extern "C" fn is_finished() -> u32 {
    engine().is_none_or(Engine::is_finished).into()
}

/// Answers with the names of missing files, a line each.
#[unsafe(no_mangle)]
pub extern "C" fn missing() -> usize {
    give(engine().map(Engine::missing).unwrap_or_default().join("\n"))
}

/// Installs the input as a file: its name, a line feed, and its bytes. Answers with a fault, or with nothing.
#[unsafe(no_mangle)]
pub extern "C" fn install() -> usize {
    let mut input = take_input();
    let end = input.iter().position(|&byte| byte == b'\n').unwrap_or(input.len());
    let bytes = input.split_off((end + 1).min(input.len()));
    input.truncate(end);
    let installed = engine().map_or(Ok(()), |engine| engine.install(&String::from_utf8_lossy(&input), bytes));
    give(installed.err().map(|error| error.to_string()).unwrap_or_default())
}

/// Answers with the state of the game, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn state() -> usize {
    give(engine().and_then(|engine| serde_json::to_vec(&engine.state()).ok()).unwrap_or_default())
}

/// Answers with all variants, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn variants() -> usize {
    give(serde_json::to_vec(&state::variants()).unwrap_or_default())
}

/// Answers with the board of the rules in force, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn layout() -> usize {
    give(engine().and_then(|engine| serde_json::to_vec(&engine.layout()).ok()).unwrap_or_default())
}

/// Answers with the move in the input taken apart, as JSON: `null` for what is no move of the rules in force.
#[unsafe(no_mangle)]
pub extern "C" fn parts() -> usize {
    let input = take_input();
    let parts = engine().and_then(|engine| engine.parts(&String::from_utf8_lossy(&input)));
    give(serde_json::to_vec(&parts).unwrap_or_default())
}

/// Answers with the FEN of the setup in the input, which is JSON.
#[unsafe(no_mangle)]
pub extern "C" fn compose() -> usize {
    let input = take_input();
    give(engine().map(|engine| engine.compose(&input)).unwrap_or_default())
}

/// Keeps what a function of games answers, as JSON: `{"ok": ...}` or `{"fault": ...}`.
fn give_result(result: &Result<impl Serialize, Fault>) -> usize {
    let told = match result {
        Ok(answer) => serde_json::to_vec(&BTreeMap::from([("ok", answer)])),
        Err(fault) => serde_json::to_vec(&BTreeMap::from([("fault", fault)])),
    };
    give(told.unwrap_or_default())
}

/// Answers with the games of the text in the input, which is JSON: the text, and the rules of bare lists of moves.
#[unsafe(no_mangle)]
pub extern "C" fn read_games() -> usize {
    give_result(&games::read(&take_input()))
}

/// Begins to take a text of games apart; returns the number of what does it.
#[unsafe(no_mangle)]
pub extern "C" fn splitter() -> u32 {
    games::splitters().begin()
}

/// Takes the next part of a text from the input, and answers with the games that are whole now, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn split(splitter: u32) -> usize {
    let part = take_input();
    give(serde_json::to_vec(&games::splitters().push(splitter, &String::from_utf8_lossy(&part))).unwrap_or_default())
}

/// Ends a text, and answers with the games that its end ends, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn split_end(splitter: u32) -> usize {
    give(serde_json::to_vec(&games::splitters().finish(splitter)).unwrap_or_default())
}

/// Answers with the text of the game in the input, which is JSON: the game and the form.
#[unsafe(no_mangle)]
pub extern "C" fn write_game() -> usize {
    give_result(&games::write(&take_input()))
}

/// Points to be expected from a score in hundredths of a stone, from 0 (lost) to 1 (won).
#[unsafe(no_mangle)]
pub extern "C" fn expected_points(score: i32) -> f64 {
    let [win, draw, _] = wdl(score);
    (f64::from(win) + f64::from(draw) / 2.0) / 1000.0
}

/// Answers with the marks of bad moves and the loss of expected points from which each is given, in permille, the greatest
/// first, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn marks() -> usize {
    give(serde_json::to_vec(&MARKS).unwrap_or_default())
}
