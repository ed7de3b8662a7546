//! Many games at a time for learning, as `python/millbrain/vector.py` describes them.

use crate::batch::Positions;
use crate::board::Board;
use crate::errors::{IllegalMoveError, InvalidFenError, InvalidPositionError, RulesError, raise};
use crate::memory;
use crate::parallel::each;
use crate::rules::Rules;
use fastrand::Rng;
use millbrain::any::AnyGame;
use millbrain::arrays::Arrays;
use millbrain::game::{Ending, Game, Move, Notation, Placed, Side, Verdict};
use millbrain::play::Play;
use millbrain::variant::Ruleset;
use millbrain::with_game;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1,
    PyReadwriteArray2, PyReadwriteArray4,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::thread::available_parallelism;

/// The current player of a finished game.
const TERMINAL: i8 = -4;
/// Games per unit of work of a thread.
const PORTION: usize = 64;
/// Random games that end too early before a game begins with fewer random moves.
const ATTEMPTS: u32 = 100;

/// One of the games.
struct State<G: Arrays> {
    play: Play<G>,
    /// The legal actions and their moves; empty when the game is over.
    legal: Vec<(u16, Move)>,
    ending: Option<Ending>,
    rng: Rng,
}

/// The output of some games: a row of each array per game.
struct View<'a> {
    /// Empty if observations are not wanted.
    observations: &'a mut [f32],
    legal: &'a mut [bool],
    rewards: &'a mut [[f32; 2]],
    terminals: &'a mut [bool],
    players: &'a mut [i8],
}

/// The output of one game.
struct Row<'a> {
    observation: &'a mut [f32],
    legal: &'a mut [bool],
    rewards: &'a mut [f32; 2],
    terminal: &'a mut bool,
    player: &'a mut i8,
}

/// How games begin and continue.
#[derive(Clone, Copy)]
struct EpisodeSettings<G: Arrays> {
    game: G,
    start: Placed<G::Position>,
    /// Maximum random plies before a game is handed over.
    random_plies: u32,
    auto_reset: bool,
}

impl<G: Arrays> EpisodeSettings<G> {
    /// Starts a new game with up to `random_plies` random plies.
    fn begin(&self, rng: &mut Rng) -> Play<G> {
        let mut moves = Vec::new();
        for _ in 0..ATTEMPTS {
            let mut play = Play::from_placed(self.game, self.start);
            for _ in 0..rng.u32(..=self.random_plies) {
                moves.clear();
                self.game.generate(play.position(), |mv| moves.push(mv));
                match rng.choice(&moves) {
                    Some(&mv) => play.push(mv),
                    None => break,
                }
            }
            if play.ending().is_none() {
                return play;
            }
        }
        Play::from_placed(self.game, self.start)
    }
}

impl<G: Arrays> State<G> {
    /// Lists the legal actions, and writes them and the position.
    fn show(&mut self, row: &mut Row<'_>) {
        let State { play, legal, ending, .. } = self;
        legal.drain(..).for_each(|(action, _)| row.legal[usize::from(action)] = false);
        *ending = play.ending();
        if ending.is_none() {
            let game = play.game;
            game.generate(play.position(), |mv| {
                let action = game.action(mv) as u16;
                row.legal[usize::from(action)] = true;
                legal.push((action, mv));
            });
        }
        *row.player = match (&ending, play.side()) {
            (Some(_), _) => TERMINAL,
            (None, Side::White) => 0,
            (None, Side::Black) => 1,
        };
        if !row.observation.is_empty() {
            play.game.observe(play.position(), play.occurrences(), row.observation);
        }
    }

    /// Writes a game that has just begun.
    fn restart(&mut self, play: Play<G>, row: &mut Row<'_>) {
        self.play = play;
        (*row.rewards, *row.terminal) = ([0.0; 2], false);
        self.show(row);
        *row.terminal = self.ending.is_some();
    }

    /// Plays a legal move and writes the result.
    fn step(&mut self, mv: Move, settings: &EpisodeSettings<G>, row: &mut Row<'_>) {
        self.play.push(mv);
        let ending = self.play.ending();
        *row.terminal = ending.is_some();
        *row.rewards = ending.map_or([0.0; 2], |ending| rewards(&ending, self.play.side()));
        if ending.is_some() && settings.auto_reset {
            self.play = settings.begin(&mut self.rng);
        }
        self.show(row);
    }

    fn move_of(&self, action: i64) -> Option<Move> {
        self.legal.iter().find(|&&(legal, _)| i64::from(legal) == action).map(|&(_, mv)| mv)
    }
}

/// Returns the rewards of White and Black, given the end for the side to move.
const fn rewards(ending: &Ending, side: Side) -> [f32; 2] {
    match (ending.verdict, side) {
        (Verdict::Draw, _) => [0.0, 0.0],
        (Verdict::Win, Side::White) | (Verdict::Loss, Side::Black) => [1.0, -1.0],
        _ => [-1.0, 1.0],
    }
}

/// Games of one type.
struct TypedGames<G: Arrays> {
    settings: EpisodeSettings<G>,
    states: Vec<State<G>>,
    threads: usize,
}

/// Games whose type only this module knows.
trait Games: Send + Sync {
    fn step(&mut self, py: Python<'_>, actions: &[i64], view: View<'_>) -> PyResult<()>;

    /// Restarts the games selected by `which`, from rows of positions, one per selected game, if there are any.
    fn reset(
        &mut self,
        py: Python<'_>,
        which: &[bool],
        rows: Option<&PyReadonlyArray2<'_, i16>>,
        view: View<'_>,
    ) -> PyResult<()>;

    /// Samples a legal action for each game uniformly; -1 where the game is over.
    fn sample(&mut self) -> Vec<i64>;

    /// Returns the positions as rows, and the number of columns.
    fn positions(&self) -> PyResult<(Vec<i16>, usize)>;

    /// Returns the text of a game's position.
    fn fen(&self, number: usize) -> Option<String>;

    /// Returns the saved state of each game.
    fn save(&self) -> Vec<Saved>;

    /// Restores saved games and writes them.
    fn restore(&mut self, py: Python<'_>, saved: Vec<Saved>, view: View<'_>) -> PyResult<()>;
}

/// The saved state of a game: its FEN, the keys of earlier positions, and the state of its random numbers.
type Saved = (String, Vec<u64>, u64);

impl<G: Arrays> TypedGames<G> {
    fn new(settings: EpisodeSettings<G>, count: usize, seed: u64, threads: usize) -> PyResult<TypedGames<G>> {
        let mut states = memory::reserved(count, 1)?;
        states.extend((0..count).map(|number| {
            let rng = crate::batch::rng_of(seed, number);
            State { play: Play::from_placed(settings.game, settings.start), legal: Vec::new(), ending: None, rng }
        }));
        Ok(TypedGames { settings, states, threads })
    }

    /// Visits all games on all threads, each with its number and its rows.
    fn visit(&mut self, py: Python<'_>, view: View<'_>, visit: impl Fn(usize, &mut State<G>, &mut Row<'_>) + Sync) {
        let game = self.settings.game;
        let (planes, actions) = (game.planes().iter().product::<usize>(), game.actions());
        let View { observations, legal, rewards, terminals, players } = view;
        let mut observations = observations.chunks_mut(PORTION * planes);
        let portions = self.states.chunks_mut(PORTION).zip(legal.chunks_mut(PORTION * actions));
        let portions = portions.zip(rewards.chunks_mut(PORTION)).zip(terminals.chunks_mut(PORTION));
        let portions = portions.zip(players.chunks_mut(PORTION)).enumerate();
        let jobs: Vec<_> =
            portions.map(|(at, rest)| (at * PORTION, observations.next().unwrap_or_default(), rest)).collect();
        each(py, jobs, self.threads, |(first, observations, ((((states, legal), rewards), terminals), players))| {
            let mut observations = observations.chunks_mut(planes);
            let rows = legal.chunks_mut(actions).zip(rewards).zip(terminals).zip(players);
            for (number, (state, (((legal, rewards), terminal), player))) in (first..).zip(states.iter_mut().zip(rows))
            {
                let observation = observations.next().unwrap_or_default();
                visit(number, state, &mut Row { observation, legal, rewards, terminal, player });
            }
        });
    }
}

impl<G: Arrays> Games for TypedGames<G> {
    fn step(&mut self, py: Python<'_>, actions: &[i64], view: View<'_>) -> PyResult<()> {
        let moves = self.states.iter().zip(actions).enumerate().map(|(number, (state, &action))| {
            if state.ending.is_some() {
                return Ok(None);
            }
            let words = || format!("game {number}: action {action} is not legal, expected one of its legal actions");
            state.move_of(action).map(Some).ok_or_else(|| IllegalMoveError::new_err(words()))
        });
        let moves = moves.collect::<PyResult<Vec<Option<Move>>>>()?;
        let settings = self.settings;
        self.visit(py, view, |number, state, row| match moves[number] {
            Some(mv) => state.step(mv, &settings, row),
            None => *row.rewards = [0.0; 2],
        });
        Ok(())
    }

    fn reset(
        &mut self,
        py: Python<'_>,
        which: &[bool],
        rows: Option<&PyReadonlyArray2<'_, i16>>,
        view: View<'_>,
    ) -> PyResult<()> {
        let game = self.settings.game;
        let mut given = vec![None; self.states.len()];
        if let Some(rows) = rows {
            let rows = Positions::new(&game, rows)?;
            let (found, expected) = (rows.count(), which.iter().filter(|&&wanted| wanted).count());
            if found != expected {
                let words = format!("{found} positions for {expected} games, expected one for each");
                return Err(PyValueError::new_err(words));
            }
            let wanted = given.iter_mut().zip(which).filter(|(_, wanted)| **wanted);
            for (number, (given, _)) in wanted.enumerate() {
                let words = |fault| InvalidPositionError::new_err(format!("position {number}: {fault}"));
                *given = Some(rows.read(number).map_err(words)?);
            }
        }
        let settings = self.settings;
        self.visit(py, view, |number, state, row| {
            if which[number] {
                let begun = given[number].map(|position| Play::from_placed(game, Placed { position, move_number: 1 }));
                let play = begun.unwrap_or_else(|| settings.begin(&mut state.rng));
                state.restart(play, row);
            }
        });
        Ok(())
    }

    fn sample(&mut self) -> Vec<i64> {
        let chosen = self.states.iter_mut().map(|State { legal, rng, .. }| match legal.len() {
            0 => -1,
            count => legal[rng.usize(..count)].0.into(),
        });
        chosen.collect()
    }

    fn positions(&self) -> PyResult<(Vec<i16>, usize)> {
        let game = self.settings.game;
        let width = game.width();
        let mut rows = memory::zeroed(self.states.len(), width)?;
        for (row, state) in rows.chunks_mut(width).zip(&self.states) {
            game.write(state.play.position(), row);
        }
        Ok((rows, width))
    }

    fn fen(&self, number: usize) -> Option<String> {
        self.states.get(number).map(|state| state.play.fen())
    }

    fn save(&self) -> Vec<Saved> {
        let saved = |state: &State<G>| (state.play.fen(), state.play.history().to_vec(), state.rng.get_seed());
        self.states.iter().map(saved).collect()
    }

    fn restore(&mut self, py: Python<'_>, saved: Vec<Saved>, view: View<'_>) -> PyResult<()> {
        let game = self.settings.game;
        for (state, (fen, history, seed)) in self.states.iter_mut().zip(saved) {
            let placed = game.parse_fen(&fen).map_err(raise(InvalidFenError::new_err))?;
            state.play = Play::resume(game, placed, history);
            state.rng = Rng::with_seed(seed);
        }
        self.visit(py, view, |_, state, row| state.show(row));
        Ok(())
    }
}

/// Many games of one rule set.
#[pyclass(module = "millbrain")]
pub struct VectorGames(Box<dyn Games>);

/// The output arrays of games.
type Outputs<'py> = (
    Option<PyReadwriteArray4<'py, f32>>,
    PyReadwriteArray2<'py, bool>,
    PyReadwriteArray2<'py, f32>,
    PyReadwriteArray1<'py, bool>,
    PyReadwriteArray1<'py, i8>,
);

/// Runs a function on the arrays' numbers.
fn with_view<R>(outputs: &mut Outputs<'_>, run: impl FnOnce(View<'_>) -> PyResult<R>) -> PyResult<R> {
    let (observations, legal, rewards, terminals, players) = outputs;
    run(View {
        observations: match observations {
            Some(observations) => observations.as_slice_mut()?,
            None => &mut [],
        },
        legal: legal.as_slice_mut()?,
        rewards: bytemuck::cast_slice_mut(rewards.as_slice_mut()?),
        terminals: terminals.as_slice_mut()?,
        players: players.as_slice_mut()?,
    })
}

#[pymethods]
impl VectorGames {
    #[new]
    #[pyo3(signature = (count, variant, fen, rules, seed, random_plies, auto_reset, threads))]
    #[expect(clippy::too_many_arguments, reason = "called from one place")]
    fn new(
        count: usize,
        variant: &str,
        fen: Option<&str>,
        rules: &Bound<'_, PyDict>,
        seed: u64,
        random_plies: u32,
        auto_reset: bool,
        threads: usize,
    ) -> PyResult<VectorGames> {
        let ruleset = rules_with_actions(&Rules::read(variant, Some(rules))?)?;
        with_game!(ruleset, |game| {
            let play = Play::set_up(game, fen, []).map_err(raise(InvalidFenError::new_err))?;
            let start = Placed { position: *play.position(), move_number: play.move_number() };
            let settings = EpisodeSettings { game, start, random_plies, auto_reset };
            Ok(VectorGames(Box::new(TypedGames::new(settings, count, seed, threads)?)))
        })
    }

    /// Plays an action in each game; actions of finished games are ignored.
    fn step(&mut self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>, mut arrays: Outputs<'_>) -> PyResult<()> {
        let actions = actions.as_slice()?;
        with_view(&mut arrays, |view| self.0.step(py, actions, view))
    }

    /// Restarts some games, from these positions if there are any.
    fn reset(
        &mut self,
        py: Python<'_>,
        which: PyReadonlyArray1<'_, bool>,
        positions: Option<PyReadonlyArray2<'_, i16>>,
        mut arrays: Outputs<'_>,
    ) -> PyResult<()> {
        let which = which.as_slice()?;
        with_view(&mut arrays, |view| self.0.reset(py, which, positions.as_ref(), view))
    }

    /// Samples a random legal action for each game.
    fn sample<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.0.sample().into_pyarray(py)
    }

    /// Returns the positions as rows.
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i16>>> {
        let (rows, width) = self.0.positions()?;
        let count = rows.len() / width;
        rows.into_pyarray(py).reshape([count, width])
    }

    /// Returns the FEN of a game.
    fn fen(&self, number: usize) -> Option<String> {
        self.0.fen(number)
    }

    /// Returns the saved state of each game.
    fn save(&self) -> Vec<Saved> {
        self.0.save()
    }

    /// Restores saved games and writes them.
    fn restore(&mut self, py: Python<'_>, saved: Vec<Saved>, mut arrays: Outputs<'_>) -> PyResult<()> {
        with_view(&mut arrays, |view| self.0.restore(py, saved, view))
    }
}

/// Checks that every move is an action under some rules.
///
/// # Errors
/// A `RulesError` if a move may have several removals.
pub fn check_actions(rules: &Ruleset) -> PyResult<()> {
    if with_game!(*rules, |game| game.has_actions()) {
        return Ok(());
    }
    Err(RulesError::new_err("a move has one removal at the most here, expected removals one"))
}

/// Returns the rules, if every move is an action.
fn rules_with_actions(rules: &Rules) -> PyResult<Ruleset> {
    let ruleset = rules.ruleset();
    check_actions(&ruleset).map(|()| ruleset)
}

/// Returns the number of actions by some rules, how many of them remove nothing, and the shape of an observation.
#[pyfunction]
pub fn learning_sizes(variant: &str, rules: &Bound<'_, PyDict>) -> PyResult<(usize, usize, (usize, usize, usize))> {
    let ruleset = rules_with_actions(&Rules::read(variant, Some(rules))?)?;
    Ok(with_game!(ruleset, |game| (game.actions(), game.steps(), game.planes().into())))
}

/// Returns the cell that each symmetry of the board maps each cell to.
#[pyfunction]
pub fn symmetries<'py>(
    py: Python<'py>,
    variant: &str,
    rules: &Bound<'_, PyDict>,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let layout = AnyGame::new(Rules::read(variant, Some(rules))?.ruleset()).layout();
    let (count, cells) = (layout.symmetries.len(), layout.points.len());
    let places: Vec<i64> = layout.symmetries.into_iter().flatten().map(|place| place as i64).collect();
    places.into_pyarray(py).reshape([count, cells])
}

/// Returns the number of available processors.
#[pyfunction]
pub fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Returns the legal actions of a board in ascending order, whether the game is over or not.
#[pyfunction]
pub fn board_actions<'py>(py: Python<'py>, board: &Board) -> PyResult<Bound<'py, PyArray1<i64>>> {
    with_game!(rules_with_actions(&board.rules)?, |game| {
        let placed = game.parse_fen(&board.game.fen()).map_err(raise(InvalidFenError::new_err))?;
        let mut actions: Vec<i64> = game.moves(&placed.position).into_iter().map(|mv| game.action(mv) as i64).collect();
        actions.sort_unstable();
        Ok(actions.into_pyarray(py))
    })
}

/// Returns a board as planes.
#[pyfunction]
pub fn board_planes<'py>(py: Python<'py>, board: &Board) -> PyResult<Bound<'py, PyArray3<f32>>> {
    with_game!(rules_with_actions(&board.rules)?, |game| {
        let placed = game.parse_fen(&board.game.fen()).map_err(raise(InvalidFenError::new_err))?;
        let shape = game.planes();
        let mut planes = vec![0.0; shape.iter().product()];
        game.observe(&placed.position, board.game.occurrences(), &mut planes);
        planes.into_pyarray(py).reshape(shape)
    })
}
