//! The search, driven from Python.

use crate::board::Board;
use crate::errors::{EngineError, IllegalMoveError, OptionError, raise};
use crate::interrupt;
use crate::rules;
use crate::tables::{Tables, rules_of, warn_of_faults};
use millbrain::analysis::Lines;
use millbrain::any::{self, Line, Report};
use millbrain::protocol::player::{self, Resources};
use millbrain::protocol::{Effect, OPTIONS, Opt, Settings};
use millbrain::search::score::{WdlModel, mate_moves};
use millbrain::search::{self, Control, Limits, Pulse};
use millbrain::variant::Ruleset;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// A variation for Python: rank, centistones, own moves to the end, chances, depth, deepest ply, nodes, seconds, hash
/// table fill, positions found in tables, bound, moves.
type PlainLine = (usize, Option<i32>, Option<i32>, [u32; 3], i32, usize, u64, f64, u32, u64, &'static str, Vec<String>);

fn plain(line: Line, model: WdlModel) -> PlainLine {
    let Line { depth, seldepth, multipv, score, bound, nodes, hashfull, tablebase_hits, time, pv } = line;
    let mate = mate_moves(score);
    let cp = mate.is_none().then_some(score);
    let bound = match bound {
        search::Bound::Exact => "exact",
        search::Bound::Lower => "lower",
        search::Bound::Upper => "upper",
    };
    let seconds = time.as_secs_f64();
    (multipv, cp, mate, model.wdl(score), depth, seldepth, nodes, seconds, hashfull, tablebase_hits, bound, pv)
}

/// Returns the chances of a win, draw and loss in permille by the rules of a board. The score is centistones, or own
/// moves to the end.
#[pyfunction]
pub fn chances(board: &Bound<'_, Board>, cp: Option<i64>, mate: Option<i64>) -> PyResult<(u32, u32, u32)> {
    Ok(match mate {
        Some(1..) => (1000, 0, 0),
        Some(_) => (0, 0, 1000),
        None => {
            let model = any::wdl_model(rules_of(board)?);
            model.wdl(cp.unwrap_or_default().clamp(-CERTAIN, CERTAIN) as i32).into()
        }
    })
}

/// Scores beyond this are certain.
const CERTAIN: i64 = 30_000;

/// Messages of a running search.
enum Reported {
    Line(Line),
    Note(String),
}

/// Reads the limits of a search from keywords.
fn read_limits(limits: &Bound<'_, PyDict>) -> PyResult<Limits> {
    fn get<'py, T: FromPyObjectOwned<'py>>(limits: &Bound<'py, PyDict>, name: &str) -> PyResult<Option<T>> {
        let value = limits.get_item(name)?.filter(|value| !value.is_none());
        value.map(|value| value.extract().map_err(Into::into)).transpose()
    }
    let seconds = |name: &str| -> PyResult<Option<Duration>> {
        let Some(value) = get::<f64>(limits, name)? else { return Ok(None) };
        // A clock may be overdrawn.
        let wrong = |_| OptionError::new_err(format!("{name} is {value}, expected seconds"));
        Duration::try_from_secs_f64(if value < 0.0 { 0.0 } else { value }).map(Some).map_err(wrong)
    };
    Ok(Limits {
        depth: get(limits, "depth")?,
        nodes: get(limits, "nodes")?,
        mate: get(limits, "mate")?,
        movetime: seconds("time")?,
        time: [seconds("white_clock")?, seconds("black_clock")?],
        increment: [seconds("white_inc")?, seconds("black_inc")?],
        movestogo: get(limits, "remaining_moves")?,
        infinite: false,
    })
}

/// Whether an option belongs to the engine itself, not to the rules, the tables or the protocol.
fn is_own(option: &Opt) -> bool {
    matches!(option.effect, Effect::None | Effect::Threads | Effect::Hash)
        && !["Ponder", "MultiPV", "UCI_ShowWDL", "OwnBook", "UCI_EngineAbout"].contains(&option.name)
}

/// The state of the engine between searches.
struct State {
    settings: Settings,
    resources: Resources,
    /// The rules of the last search: entries of other rules would be wrong in the hash table.
    rules: Option<Ruleset>,
}

/// An engine in this process.
#[pyclass(module = "millbrain._native", frozen)]
pub struct Engine {
    /// Locked during a search; `None` after the engine is closed.
    state: Mutex<Option<State>>,
    /// Whether to close the engine, at the latest when its search ends.
    closed: AtomicBool,
    /// The control of the running search.
    control: Mutex<Option<Arc<Control>>>,
    tables: Py<Tables>,
}

impl Engine {
    /// Returns the state unless a search holds it.
    fn state(&self) -> PyResult<MutexGuard<'_, Option<State>>> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
            Err(TryLockError::WouldBlock) => Err(EngineError::new_err("the engine is searching, expected one at rest")),
        }
    }

    fn set_control(&self, control: Option<&Arc<Control>>) {
        *self.control.lock().unwrap_or_else(PoisonError::into_inner) = control.cloned();
    }
}

fn open(state: &mut Option<State>) -> PyResult<&mut State> {
    state.as_mut().ok_or_else(|| EngineError::new_err("the engine is closed, expected an open one"))
}

#[pymethods]
impl Engine {
    #[new]
    fn new(tables: Py<Tables>, options: &Bound<'_, PyDict>) -> PyResult<Engine> {
        // No GUI or network delays the engine's answers.
        let mut settings = Settings { move_overhead: 0, ..Settings::default() };
        let resources = Resources::new(1).map_err(raise(EngineError::new_err))?;
        settings.hash = 1;
        let state = State { settings, resources, rules: None };
        let engine = Engine {
            state: Mutex::new(Some(state)),
            closed: AtomicBool::new(false),
            control: Mutex::default(),
            tables,
        };
        engine.configure(options)?;
        Ok(engine)
    }

    /// Sets options: all or none of them, unless memory or threads run short.
    fn configure(&self, options: &Bound<'_, PyDict>) -> PyResult<()> {
        let mut guard = self.state()?;
        let state = open(&mut guard)?;
        let mut settings = state.settings.clone();
        let mut effects = Vec::new();
        for (name, value) in options {
            let own = OPTIONS.iter().filter(|option| is_own(option)).map(|option| option.name);
            let option = rules::find(name.extract()?, own).map_err(raise(OptionError::new_err))?;
            let effect = settings.set(option, Some(&rules::text_of(&value)));
            effects.push(effect.map_err(raise(OptionError::new_err))?);
        }
        for effect in effects {
            state.resources.apply(effect, &settings).map_err(raise(EngineError::new_err))?;
        }
        state.settings = settings;
        Ok(())
    }

    /// Returns the options and their values.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut guard = self.state()?;
        let settings = &open(&mut guard)?.settings;
        let options = PyDict::new(py);
        for option in OPTIONS.iter().filter(|option| is_own(option)) {
            options.set_item(option.name, rules::value_of(py, option, settings)?)?;
        }
        Ok(options)
    }

    /// Searches a position and passes each line, or a note as text, to `on_reported`.
    #[pyo3(signature = (board, limits, multipv, root_moves, on_reported))]
    fn search(
        &self,
        board: &Bound<'_, Board>,
        limits: &Bound<'_, PyDict>,
        multipv: &Bound<'_, PyAny>,
        root_moves: Vec<String>,
        on_reported: Option<Py<PyAny>>,
    ) -> PyResult<(Option<String>, Option<String>, Vec<PlainLine>)> {
        let py = board.py();
        let limits = read_limits(limits)?;
        let mut guard = self.state()?;
        let State { settings, resources, rules } = open(&mut guard)?;
        let mut settings = settings.clone();
        settings.set("MultiPV", Some(&rules::text_of(multipv))).map_err(raise(OptionError::new_err))?;
        let (game, ruleset) = (self.tables.get().game(board)?, rules_of(board)?);
        let found = root_moves.iter().map(|text| {
            let words = |fault| format!("{} {fault}", millbrain::fen::shorten(text).escape_debug());
            game.find_move(text).map_err(words).map_err(raise(IllegalMoveError::new_err))
        });
        let root_moves = found.collect::<PyResult<Vec<_>>>()?;
        resources.renew().map_err(raise(EngineError::new_err))?;
        if rules.replace(ruleset).is_some_and(|last| last != ruleset) {
            resources.clear_hash();
        }
        let control = Arc::new(Control::new(false));
        let this_search = Arc::downgrade(&control);
        control.on_pulse(move |doing| {
            // Without a limit a finished search waits for a stop, which no caller here sends.
            if doing == Pulse::Waiting
                && let Some(control) = this_search.upgrade()
            {
                control.stop();
            }
        });
        self.set_control(Some(&control));
        let model = game.wdl_model();
        let searched = interrupt::run(
            py,
            || control.stop(),
            |reported| {
                let mut lines = Lines::default();
                let tell = &mut |report: &Report<'_>| {
                    lines.take(report);
                    if on_reported.is_some() {
                        // After an exception the receiver is gone.
                        let _ = match report {
                            Report::Line(line) => reported.send(Reported::Line(line.clone())),
                            Report::Note(note) => reported.send(Reported::Note((*note).to_string())),
                            Report::CurrentMove { .. } => Ok(()),
                        };
                    }
                };
                let answer = player::search(&game, &limits, &root_moves, &settings, resources, &control, tell);
                let (best, others) = lines.finish(&answer, &resources.hash, &control);
                (answer, best, others)
            },
            |py, reported| {
                let Some(on_reported) = &on_reported else { return Ok(()) };
                match reported {
                    Reported::Line(line) => on_reported.call1(py, (plain(line, model),)),
                    Reported::Note(note) => on_reported.call1(py, (note,)),
                }
                .map(drop)
            },
        );
        self.set_control(None);
        if self.closed.load(Ordering::Acquire) {
            *guard = None;
        }
        let (answer, best, others) = searched?;
        warn_of_faults(py, &game.new_faults())?;
        let (nodes, time) = (answer.nodes, control.elapsed());
        let lines =
            std::iter::once(best).chain(others).map(|line| plain(Line { nodes, time, ..line }, model)).collect();
        Ok((answer.best, answer.ponder, lines))
    }

    /// Stops the running search, if any.
    fn stop(&self) {
        if let Some(control) = &*self.control.lock().unwrap_or_else(PoisonError::into_inner) {
            control.stop();
        }
    }

    /// Clears the hash table.
    fn new_game(&self) -> PyResult<()> {
        open(&mut *self.state()?)?.resources.clear_hash();
        Ok(())
    }

    /// Stops the search, and frees memory and threads once no search uses them.
    fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.stop();
        if let Ok(mut state) = self.state() {
            *state = None;
        }
    }

    /// Whether the engine is closed.
    #[getter]
    fn closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}
