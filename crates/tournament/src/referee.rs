//! One game between two engines, by the rules.

use super::client::{Answer, Client, Failure, Report};
use super::config::{DrawAdjudication, EngineConfig, ResignAdjudication, Thinking};
use super::dialect::{ClockReading, Question};
use super::openings::Opening;
use super::record::{MoveRecord, Outcome, Termination};
use millbrain_core::any::AnyGame;
use millbrain_core::game::value::Known;
use millbrain_core::game::{Ending, LENGTH, RESIGNED, Reason, SCORES, Side, Verdict};
use millbrain_core::play::{MoveFault, PlayError};
use millbrain_games::score::Score;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Conditions that end games early.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Adjudication {
    /// Draw by the scores of both engines.
    pub draw: Option<DrawAdjudication>,
    /// Loss by the scores of an engine.
    pub resign: Option<ResignAdjudication>,
    /// Full moves by the engines before a game is drawn; 0 for no limit.
    pub max_moves: u32,
    /// Time after which an engine without a time limit counts as stalled.
    pub stall: Duration,
}

/// The course of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scoresheet {
    /// FEN of the first position.
    pub fen: String,
    /// All moves.
    pub moves: Vec<MoveRecord>,
    /// The late move that ended the game.
    pub late_move: Option<MoveRecord>,
    /// Result.
    pub outcome: Outcome,
    /// Kind of ending.
    pub termination: Termination,
    /// Description of the ending.
    pub reason: String,
}

/// A source of moves: an engine's process, or in tests a list of answers.
pub trait Engine {
    /// Answers with a move; see [`Client::think`].
    ///
    /// # Errors
    /// When there is no answer.
    fn think(&self, question: &Question<'_>) -> Result<Answer, Failure>;

    /// Ponders on a possible question on the opponent's time; see [`Client::ponder`].
    fn ponder(&self, _question: &Question<'_>) {}
}

impl Engine for Client<'_> {
    fn think(&self, question: &Question<'_>) -> Result<Answer, Failure> {
        Client::think(self, question)
    }

    fn ponder(&self, question: &Question<'_>) {
        Client::ponder(self, question);
    }
}

/// A player: its settings, its clock, and its recent scores.
struct Player<'a> {
    config: &'a EngineConfig,
    time_left: Duration,
    /// Moves played in the current period.
    moves_made: u32,
    /// Consecutive moves with a hopeless score, and with a winning one.
    hopeless: u32,
    winning: u32,
    /// Consecutive moves with a drawish score.
    drawish: u32,
}

impl<'a> Player<'a> {
    fn new(config: &'a EngineConfig) -> Player<'a> {
        let time_left = config.thinking.clock.map_or(Duration::ZERO, |clock| clock.base);
        Player { config, time_left, moves_made: 0, hopeless: 0, winning: 0, drawish: 0 }
    }

    /// Returns the time left on the clock, if there is one.
    fn clock(&self) -> Option<Duration> {
        self.config.thinking.clock.map(|_| self.time_left)
    }

    /// Returns the reading of the clock, if there is one.
    fn reading(&self) -> Option<ClockReading> {
        let clock = self.config.thinking.clock?;
        Some(ClockReading { left: self.time_left, increment: clock.increment })
    }

    /// Returns the time for this move; `None` without any time limit.
    fn limit(&self) -> Option<Duration> {
        let thinking = &self.config.thinking;
        [self.clock(), thinking.move_time].into_iter().flatten().min()
    }

    /// Subtracts a move's time from the clock.
    fn clock_move(&mut self, elapsed: Duration) {
        let Some(clock) = self.config.thinking.clock else { return };
        self.time_left = self.time_left.saturating_sub(elapsed) + clock.increment;
        self.moves_made += 1;
        // Without periods `moves` is 0, which is never reached.
        if self.moves_made == clock.moves {
            self.time_left += clock.base;
            self.moves_made = 0;
        }
    }

    /// Counts consecutive hopeless, winning or drawish scores.
    fn count_score(&mut self, report: &Report, adjudication: &Adjudication) {
        let score = report.score.map(Score::centistones);
        let count = |so_far: u32, holds: bool| if holds { so_far + 1 } else { 0 };
        if let Some(rule) = adjudication.resign {
            self.hopeless = count(self.hopeless, score.is_some_and(|score| score <= -rule.score));
            self.winning = count(self.winning, score.is_some_and(|score| score >= rule.score));
        }
        if let Some(rule) = adjudication.draw {
            self.drawish = count(self.drawish, score.is_some_and(|score| score.abs() <= rule.score));
        }
    }
}

/// Builds the question to the side to move after the moves played, and possibly an expected one.
fn question<'a>(
    sheet: &'a Scoresheet,
    expected: Option<&'a str>,
    game: &'a AnyGame,
    players: &[Player<'_>; 2],
    adjudication: &Adjudication,
) -> Question<'a> {
    let mover = &players[game.side() as usize];
    let Thinking { clock, .. } = mover.config.thinking;
    Question {
        fen: &sheet.fen,
        moves: sheet.moves.iter().map(|played| played.text.as_str()).chain(expected).collect(),
        game,
        clocks: players.each_ref().map(Player::reading),
        moves_to_go: clock.filter(|clock| clock.moves > 0).map(|clock| clock.moves - mover.moves_made),
        thinking: mover.config.thinking,
        patience: mover.limit().map_or(adjudication.stall, |limit| limit + mover.config.margin),
    }
}

/// An opening that cannot be played. Openings are checked when they are read, so the journal was edited.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnplayableOpening {
    /// The FEN is faulty.
    #[error(transparent)]
    Fen(#[from] PlayError),
    /// A move that cannot be played.
    #[error("opening move {text:?} {fault}")]
    Move {
        /// Text of the move.
        text: String,
        /// Fault of the move.
        fault: MoveFault,
    },
}

/// Plays a game between the engines with White and Black. Returns `None` when interrupted.
///
/// # Errors
/// An opening that cannot be played.
pub fn play_game(
    start: &AnyGame,
    opening: &Opening,
    engines: [(&dyn Engine, &EngineConfig); 2],
    adjudication: &Adjudication,
    interrupted: &AtomicBool,
) -> Result<Option<Scoresheet>, UnplayableOpening> {
    play_watched(start, opening, engines, adjudication, interrupted, &mut |_, _| {})
}

/// Called with the state of a game: its scoresheet so far, and the clocks of White and Black.
pub type Watch<'a> = &'a mut dyn FnMut(&Scoresheet, [Option<Duration>; 2]);

/// Plays a game like [`play_game`]; calls `watch` at its start and after every move, while no clock runs.
///
/// # Errors
/// An opening that cannot be played.
pub fn play_watched(
    start: &AnyGame,
    opening: &Opening,
    engines: [(&dyn Engine, &EngineConfig); 2],
    adjudication: &Adjudication,
    interrupted: &AtomicBool,
    watch: Watch<'_>,
) -> Result<Option<Scoresheet>, UnplayableOpening> {
    let mut play = start.at(opening.fen.as_deref(), [])?;
    let mut sheet = Scoresheet {
        fen: play.fen(),
        moves: Vec::new(),
        late_move: None,
        outcome: Outcome::Draw,
        termination: Termination::Normal,
        reason: String::new(),
    };
    for text in &opening.moves {
        let unplayable = |fault| UnplayableOpening::Move { text: text.clone(), fault };
        let text = play.push(text).map_err(unplayable)?;
        sheet.moves.push(MoveRecord { text, ..MoveRecord::default() });
    }
    let opening_plies = sheet.moves.len();
    let mut players = engines.map(|(_, config)| Player::new(config));
    loop {
        if interrupted.load(Ordering::Relaxed) {
            return Ok(None);
        }
        watch(&sheet, players.each_ref().map(Player::clock));
        let plies = sheet.moves.len();
        let ended = match play.ending() {
            Some(ending) => {
                Some((Outcome::of(ending.winner(play.side())), Termination::Normal, ending.reason.id().to_string()))
            }
            None if plies > opening_plies => by_tables(&play)
                .or_else(|| adjudicated(&players, play.side(), plies, plies - opening_plies, adjudication)),
            None => adjudicated(&players, play.side(), plies, 0, adjudication),
        };
        let ended = match ended {
            Some(ended) => Some(ended),
            None => {
                let side = play.side() as usize;
                let answer = engines[side].0.think(&question(&sheet, None, &play, &players, adjudication));
                if answer == Err(Failure::Interrupted) {
                    return Ok(None);
                }
                let expected = answer.as_ref().ok().and_then(|answer| answer.ponder.clone());
                let ended = take_move(&mut play, &mut players[side], &mut sheet, answer, adjudication);
                if let (None, Some(expected)) = (&ended, expected.filter(|_| engines[side].1.ponder)) {
                    ponder(engines[side].0, &expected, &play, &sheet, &players, adjudication);
                }
                ended
            }
        };
        if let Some((outcome, termination, reason)) = ended {
            return Ok(Some(Scoresheet { outcome, termination, reason, ..sheet }));
        }
    }
}

/// Lets an engine that has moved ponder on its expected reply, if the game can continue after it.
fn ponder(
    engine: &dyn Engine,
    expected: &str,
    play: &AnyGame,
    sheet: &Scoresheet,
    players: &[Player<'_>; 2],
    adjudication: &Adjudication,
) {
    let mut ahead = play.clone();
    if ahead.ending().is_some() {
        return;
    }
    match ahead.push(expected) {
        Ok(expected) if ahead.ending().is_none() => {
            engine.ponder(&question(sheet, Some(&expected), &ahead, players, adjudication));
        }
        Ok(_) => {}
        Err(fault) => log::debug!("a reply {expected:?} that is expected {fault}"),
    }
}

type End = (Outcome, Termination, String);

/// Returns the end by the game's tables if they know the result. A win or loss counts only if the draw counter permits
/// it.
fn by_tables(play: &AnyGame) -> Option<End> {
    let limit = u32::from(play.draw_rules().progress_limit);
    let in_time = |known: &Known| match known.verdict() {
        Verdict::Draw => true,
        _ if limit == 0 => true,
        _ => known.plies().is_some_and(|plies| u32::from(play.plies_without_progress()) + plies <= limit),
    };
    let verdict = match play.counted() {
        Some(counted) => counted.verdict,
        None => play.known().filter(in_time)?.verdict(),
    };
    let winner = Ending::new(verdict, Reason::NoMoves).winner(play.side());
    Some((Outcome::of(winner), Termination::Adjudication, "known by tables".to_string()))
}

/// Returns the end if the scores or the length of the game adjudicate it.
fn adjudicated(
    players: &[Player<'_>; 2],
    to_move: Side,
    plies: usize,
    played: usize,
    adjudication: &Adjudication,
) -> Option<End> {
    let end = |winner, reason: &str| Some((Outcome::of(winner), Termination::Adjudication, reason.to_string()));
    if let Some(rule) = adjudication.resign {
        // An engine resigns after its own move.
        let side = to_move.other();
        let agreed = !rule.two_sided || players[to_move as usize].winning >= rule.move_count;
        if players[side as usize].hopeless >= rule.move_count && agreed {
            return end(Some(to_move), RESIGNED);
        }
    }
    if let Some(rule) = adjudication.draw {
        let late = plies / 2 + 1 >= rule.move_number as usize;
        if late && players.iter().all(|player| player.drawish >= rule.move_count) {
            return end(None, SCORES);
        }
    }
    let limit = adjudication.max_moves as usize;
    if limit > 0 && played >= 2 * limit { end(None, LENGTH) } else { None }
}

/// Plays the answer of the side to move, or returns how it ends the game.
fn take_move(
    play: &mut AnyGame,
    player: &mut Player<'_>,
    sheet: &mut Scoresheet,
    answer: Result<Answer, Failure>,
    adjudication: &Adjudication,
) -> Option<End> {
    let winner = play.side().other();
    let lost = |termination, reason: String| Some((Outcome::of(Some(winner)), termination, reason));
    let name = &player.config.name;
    let Answer { best, report, elapsed, .. } = match answer {
        Ok(answer) => answer,
        Err(failure) => {
            let termination = if failure == Failure::Crash { Termination::Crash } else { Termination::Stall };
            return lost(termination, format!("{name} {failure}"));
        }
    };
    let limit = player.limit();
    if limit.is_none() && elapsed > adjudication.stall {
        return lost(Termination::Stall, format!("{name} answered only after 'stop'"));
    }
    // An illegal move may be any text.
    let shown = || best.chars().filter(|c| !c.is_control()).take(20).collect::<String>();
    let pushed = play.push(&best);
    let late = limit.and_then(|limit| elapsed.checked_sub(limit)).filter(|late| !late.is_zero());
    let played = MoveRecord {
        text: pushed.clone().unwrap_or_else(|_| shown()),
        score: report.score.map(|score| score.to_string()),
        depth: report.depth,
        time: Some(elapsed.as_millis() as u64),
        late: late.map(|late| late.as_millis() as u64),
    };
    if let Some(late) = late.filter(|&late| late > player.config.margin) {
        sheet.late_move = Some(played);
        return lost(Termination::Time, format!("{name} was {} ms late", late.as_millis()));
    }
    if let Err(fault) = pushed {
        return lost(Termination::IllegalMove, format!("{name} played {:?}, which {fault}", shown()));
    }
    player.clock_move(elapsed);
    player.count_score(&report, adjudication);
    sheet.moves.push(played);
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Clock;
    use crate::dialect::{go_command, position_command};
    use millbrain_core::variant::Variant;
    use std::cell::RefCell;
    use std::collections::VecDeque;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn engine(name: &str, thinking: Thinking) -> EngineConfig {
        EngineConfig { name: name.to_string(), thinking, ..EngineConfig::default() }
    }

    fn clock(text: &str) -> Thinking {
        let clock: Clock = text.parse().expect("a clock");
        Thinking { clock: Some(clock), ..Thinking::default() }
    }

    const NEVER: Adjudication = Adjudication { draw: None, resign: None, max_moves: 0, stall: ms(60_000) };

    /// Returns the `go` command in a game with this side to move.
    fn go_of(players: &[Player<'_>; 2], side: Side) -> String {
        let moves: &[&str] = if side == Side::White { &[] } else { &["d6"] };
        let game = AnyGame::new(Variant::Morris.rules()).at(None, moves.iter().copied()).expect("a position");
        let sheet = Scoresheet {
            fen: game.fen(),
            moves: Vec::new(),
            late_move: None,
            outcome: Outcome::Draw,
            termination: Termination::Normal,
            reason: String::new(),
        };
        go_command(&question(&sheet, None, &game, players, &NEVER))
    }

    #[test]
    fn an_increment_comes_after_each_move() {
        let config = engine("A", clock("10+1"));
        let mut player = Player::new(&config);
        assert_eq!(player.limit(), Some(ms(10_000)));
        player.clock_move(ms(4_000));
        assert_eq!(player.limit(), Some(ms(7_000)));
        player.clock_move(ms(500));
        assert_eq!((player.limit(), player.moves_made), (Some(ms(7_500)), 2));
        // A tolerated late move leaves only the increment.
        player.clock_move(ms(7_600));
        assert_eq!(player.limit(), Some(ms(1_000)));
        // Without a number of moves the time is never renewed.
        for _ in 0..100 {
            player.clock_move(ms(1_000));
        }
        assert_eq!(player.limit(), Some(ms(1_000)));
    }

    #[test]
    fn a_period_renews_the_clock() {
        let config = engine("A", clock("3/10+1"));
        let players = || [Player::new(&config), Player::new(&config)];
        let mut players = players();
        let mut seen = Vec::new();
        for _ in 0..7 {
            let go = go_of(&players, Side::White);
            seen.push((players[0].time_left.as_millis(), go.split(' ').next_back().map(String::from)));
            players[0].clock_move(ms(5_000));
        }
        let expected =
            [(10_000, "3"), (6_000, "2"), (2_000, "1"), (11_000, "3"), (7_000, "2"), (3_000, "1"), (11_000, "3")];
        assert_eq!(seen, expected.map(|(time, to_go)| (time, Some(to_go.to_string()))));
        assert_eq!(players[1].time_left, ms(10_000));
    }

    #[test]
    fn go_has_the_limits_as_they_are() {
        let all = Thinking { move_time: Some(ms(700)), nodes: Some(9), depth: Some(3), ..clock("40/1:30+0.5") };
        let (all, plain, free) = (engine("A", all), engine("B", clock("20")), engine("C", Thinking::default()));
        let nodes = engine("D", Thinking { nodes: Some(100), ..Thinking::default() });
        let timed = engine("E", Thinking { move_time: Some(ms(50)), ..Thinking::default() });
        let go = |white, black, side| go_of(&[Player::new(white), Player::new(black)], side);
        let reported = "go wtime 90000 winc 500 btime 20000 binc 0 movestogo 40 movetime 700 nodes 9 depth 3";
        assert_eq!(go(&all, &plain, Side::White), reported);
        assert_eq!(go(&all, &plain, Side::Black), "go wtime 90000 winc 500 btime 20000 binc 0");
        assert_eq!(go(&plain, &nodes, Side::White), "go wtime 20000 winc 0");
        assert_eq!(go(&nodes, &plain, Side::Black), "go btime 20000 binc 0");
        assert_eq!(go(&plain, &nodes, Side::Black), "go nodes 100");
        assert_eq!(go(&timed, &free, Side::White), "go movetime 50");
        assert_eq!(Player::new(&all).limit(), Some(ms(700)));
        assert_eq!(Player::new(&timed).limit(), Some(ms(50)));
        assert_eq!(Player::new(&nodes).limit(), None);
        let mut player = Player::new(&nodes);
        player.clock_move(ms(1));
        assert_eq!((player.time_left, player.moves_made), (ms(0), 0));
    }

    fn report(score: Option<Score>) -> Report {
        Report { score, ..Report::default() }
    }

    #[test]
    fn scores_are_counted_in_a_row() {
        let config = engine("A", Thinking::default());
        let adjudication = Adjudication {
            draw: Some(DrawAdjudication { move_number: 1, move_count: 1, score: 10 }),
            resign: Some(ResignAdjudication { move_count: 1, score: 500, two_sided: false }),
            ..NEVER
        };
        let mut player = Player::new(&config);
        let mut count = |score: Option<Score>| {
            player.count_score(&report(score), &adjudication);
            [player.hopeless, player.winning, player.drawish]
        };
        let cp = |score| Some(Score::Cp(score));
        assert_eq!(count(cp(-500)), [1, 0, 0]);
        assert_eq!(count(Some(Score::Mate(-9))), [2, 0, 0]);
        assert_eq!(count(cp(-499)), [0, 0, 0]);
        assert_eq!(count(cp(500)), [0, 1, 0]);
        assert_eq!(count(Some(Score::Mate(3))), [0, 2, 0]);
        assert_eq!(count(cp(499)), [0, 0, 0]);
        assert_eq!(count(cp(10)), [0, 0, 1]);
        assert_eq!(count(cp(-10)), [0, 0, 2]);
        assert_eq!(count(cp(0)), [0, 0, 3]);
        assert_eq!(count(cp(-11)), [0, 0, 0]);
        assert_eq!(count(cp(0)), [0, 0, 1]);
        assert_eq!(count(None), [0, 0, 0]);
        let mut player = Player::new(&config);
        player.count_score(&report(cp(0)), &NEVER);
        player.count_score(&report(cp(-999)), &NEVER);
        player.count_score(&report(cp(999)), &NEVER);
        assert_eq!([player.hopeless, player.winning, player.drawish], [0, 0, 0]);
    }

    /// Returns players with these counts of hopeless, winning and drawish scores.
    fn counted(config: &EngineConfig, counts: [[u32; 3]; 2]) -> [Player<'_>; 2] {
        counts.map(|[hopeless, winning, drawish]| Player { hopeless, winning, drawish, ..Player::new(config) })
    }

    #[test]
    fn the_side_that_gives_up_loses() {
        let config = engine("A", Thinking::default());
        let rule = ResignAdjudication { move_count: 3, score: 500, two_sided: false };
        let end = |counts, to_move, two_sided| {
            let adjudication = Adjudication { resign: Some(ResignAdjudication { two_sided, ..rule }), ..NEVER };
            adjudicated(&counted(&config, counts), to_move, 20, 20, &adjudication).map(
                |(outcome, termination, reason)| {
                    assert_eq!((termination, reason.as_str()), (Termination::Adjudication, "resigned"));
                    outcome
                },
            )
        };
        // White has just moved and resigns, then Black.
        assert_eq!(end([[3, 0, 0], [0; 3]], Side::Black, false), Some(Outcome::BlackWins));
        assert_eq!(end([[0; 3], [4, 0, 0]], Side::White, false), Some(Outcome::WhiteWins));
        // Too few moves, or not after the own move.
        assert_eq!(end([[2, 0, 0], [2, 0, 0]], Side::Black, false), None);
        assert_eq!(end([[3, 0, 0], [0; 3]], Side::White, false), None);
        assert_eq!(end([[0; 3], [3, 0, 0]], Side::Black, false), None);
        // The other side must agree, if required; a hopeless score of its own is not an agreement.
        assert_eq!(end([[3, 0, 0], [0, 2, 0]], Side::Black, true), None);
        assert_eq!(end([[3, 9, 0], [9, 0, 0]], Side::Black, true), None);
        assert_eq!(end([[3, 0, 0], [0, 3, 0]], Side::Black, true), Some(Outcome::BlackWins));
        assert_eq!(end([[0, 3, 0], [3, 0, 0]], Side::White, true), Some(Outcome::WhiteWins));
    }

    #[test]
    fn a_draw_takes_two() {
        let config = engine("A", Thinking::default());
        let adjudication =
            Adjudication { draw: Some(DrawAdjudication { move_number: 10, move_count: 4, score: 5 }), ..NEVER };
        let end = |white, black, plies| {
            let players = counted(&config, [[0, 0, white], [0, 0, black]]);
            adjudicated(&players, Side::White, plies, 0, &adjudication)
        };
        let drawn = Some((Outcome::Draw, Termination::Adjudication, "scores".to_string()));
        assert_eq!(end(4, 4, 18), drawn);
        assert_eq!(end(5, 9, 40), drawn);
        assert_eq!(end(9, 3, 40), None);
        assert_eq!(end(3, 9, 40), None);
        // The tenth full move begins after eighteen plies.
        assert_eq!(end(9, 9, 17), None);
        assert_eq!(adjudicated(&counted(&config, [[9; 3]; 2]), Side::White, 99, 99, &NEVER), None);
    }

    #[test]
    fn long_games_are_drawn() {
        let config = engine("A", Thinking::default());
        let adjudication = Adjudication { max_moves: 5, ..NEVER };
        let end = |played| adjudicated(&counted(&config, [[0; 3]; 2]), Side::White, 50, played, &adjudication);
        assert_eq!(end(9), None);
        assert_eq!(end(10), Some((Outcome::Draw, Termination::Adjudication, "length".to_string())));
    }

    /// Tables end a game if they know its result and the draw counter permits it.
    #[test]
    fn known_results_end_a_game() {
        let end = |variant: Variant, fen: &str| {
            let mut game = AnyGame::new(variant.rules()).at(Some(fen), []).expect("a position");
            assert_eq!(by_tables(&game), None, "without tables");
            let opened = millbrain_tablebase::open(&variant.rules(), &millbrain_tablebase::Sources::default());
            game.set_oracle(opened.oracle.as_ref());
            let plies = game.known().and_then(Known::plies);
            by_tables(&game).map(|(outcome, termination, _)| {
                assert_eq!(termination, Termination::Adjudication);
                (outcome, plies)
            })
        };
        let won = "1O1/3/3/X4O/3/3/XOX b 0 0";
        for (counter, expected) in [(0, true), (74, true), (75, false), (99, false)] {
            let found = end(Variant::Morris, &format!("1O1/3/3/X4O/3/3/XOX w 0 0 {counter} 60"));
            // A loss in 26 plies.
            assert_eq!(found, expected.then_some((Outcome::BlackWins, Some(26))), "{counter}");
        }
        assert_eq!(end(Variant::Muehle, "1O1/3/3/X4O/3/3/XOX w 0 0"), None, "too late for 20 plies");
        assert_eq!(end(Variant::Morris, won).map(|(outcome, _)| outcome), Some(Outcome::BlackWins));
        let drawn = "OO1/1X1/2O/2XX1O/3/2X/3 b 0 0 99 60";
        assert_eq!(end(Variant::Morris, drawn), Some((Outcome::Draw, None)));
        assert_eq!(end(Variant::Morris, "3/3/3/6/3/3/3 w 9 9"), None);
    }

    /// Returns its answers in order and records the questions.
    #[derive(Default)]
    struct Script {
        answers: RefCell<VecDeque<Result<Answer, Failure>>>,
        asked: RefCell<Vec<(String, String, Duration)>>,
        pondered: RefCell<Vec<String>>,
    }

    impl Engine for Script {
        fn think(&self, question: &Question<'_>) -> Result<Answer, Failure> {
            let asked = (position_command(question), go_command(question), question.patience);
            self.asked.borrow_mut().push(asked);
            self.answers.borrow_mut().pop_front().expect("an answer for each question")
        }

        fn ponder(&self, question: &Question<'_>) {
            self.pondered.borrow_mut().push(format!("{}, {}", position_command(question), go_command(question)));
        }
    }

    /// Returns moves, optionally with an expected reply, and their times in milliseconds.
    fn script(answers: &[(&str, u64)]) -> Script {
        let answer = |&(moves, time): &(&str, u64)| {
            let (best, ponder) = moves.split_once(' ').map_or((moves, None), |(best, ponder)| (best, Some(ponder)));
            let report = Report { score: Some(Score::Cp(-40)), depth: Some(7), ..Report::default() };
            Ok(Answer { best: best.to_string(), ponder: ponder.map(String::from), report, elapsed: ms(time) })
        };
        Script { answers: RefCell::new(answers.iter().map(answer).collect()), ..Script::default() }
    }

    static NO_STOP: AtomicBool = AtomicBool::new(false);

    fn game(
        opening: &Opening,
        white: (&Script, &EngineConfig),
        black: (&Script, &EngineConfig),
        adjudication: &Adjudication,
    ) -> Scoresheet {
        let engines: [(&dyn Engine, &EngineConfig); 2] = [(white.0, white.1), (black.0, black.1)];
        let sheet = play_game(&AnyGame::new(Variant::Morris.rules()), opening, engines, adjudication, &NO_STOP)
            .expect("an opening");
        assert!(white.0.answers.borrow().is_empty() && black.0.answers.borrow().is_empty(), "{sheet:?}");
        sheet.expect("an end")
    }

    const MILL: &str = "OO1/3/3/O1X3/1XX/3/3 w 0 0 0 1";

    #[test]
    fn a_game_is_played_to_its_end() {
        let (white, black) = (script(&[("e4", 5), ("xx", 6)]), script(&[("a7", 7)]));
        let (slow, quick) = (engine("A", clock("10")), engine("B", Thinking { depth: Some(1), ..Thinking::default() }));
        let opening = Opening { fen: None, moves: vec!["d6".to_string(), "f4".to_string()] };
        let sheet = game(&opening, (&white, &slow), (&black, &quick), &NEVER);
        let start = "position fen 3/3/3/6/3/3/3 w 9 9 0 1 moves d6 f4";
        let asked = |position: &str, go: &str, limit| (position.to_string(), go.to_string(), ms(limit));
        assert_eq!(
            *white.asked.borrow(),
            [
                asked(start, "go wtime 10000 winc 0", 10_000),
                asked(&format!("{start} e4 a7"), "go wtime 9995 winc 0", 9_995)
            ]
        );
        assert_eq!(*black.asked.borrow(), [asked(&format!("{start} e4"), "go depth 1", 60_000)]);
        assert_eq!((sheet.outcome, sheet.termination), (Outcome::BlackWins, Termination::IllegalMove));
        assert_eq!(sheet.reason, "A played \"xx\", which cannot be read, expected a move such as d6, a4a7 or d6xb4");
        let played = |text: &str, time| MoveRecord {
            text: text.to_string(),
            score: Some("-0.40".to_string()),
            depth: Some(7),
            time: Some(time),
            late: None,
        };
        let book = |text: &str| MoveRecord { text: text.to_string(), ..MoveRecord::default() };
        assert_eq!(sheet.moves, [book("d6"), book("f4"), played("e4", 5), played("a7", 7)]);
        assert_eq!((sheet.fen.as_str(), sheet.late_move), ("3/3/3/6/3/3/3 w 9 9 0 1", None));

        let opening = Opening { fen: Some(MILL.to_string()), moves: Vec::new() };
        let sheet = game(&opening, (&script(&[("a4g7xd3", 1)]), &quick), (&Script::default(), &quick), &NEVER);
        assert_eq!((sheet.outcome, sheet.termination), (Outcome::WhiteWins, Termination::Normal));
        assert_eq!((sheet.reason.as_str(), sheet.moves.len()), ("few-stones", 1));
    }

    /// The engine gets its own clock after its move, and the continuation of the game if its opponent plays as
    /// expected.
    #[test]
    fn an_engine_ponders_on_the_reply_that_it_expects() {
        let pondering = EngineConfig { ponder: true, ..engine("A", clock("10+1")) };
        let (white, black) = (
            // An illegal reply is not pondered on.
            script(&[("d6 f4", 3_000), ("d2 d6", 500), ("b4 xx", 1), ("a4", 1)]),
            script(&[("f4 d2", 2_000), ("f2", 1), ("e4", 1), ("xx", 1)]),
        );
        let plain = engine("B", clock("20"));
        let sheet = game(&Opening::default(), (&white, &pondering), (&black, &plain), &NEVER);
        assert_eq!((sheet.termination, sheet.moves.len()), (Termination::IllegalMove, 7), "{sheet:?}");
        let position = "position fen 3/3/3/6/3/3/3 w 9 9 0 1 moves d6 f4";
        assert_eq!(*white.pondered.borrow(), [format!("{position}, go wtime 8000 winc 1000 btime 20000 binc 0")]);
        assert_eq!(*black.pondered.borrow(), [""; 0]);
    }

    #[test]
    fn moves_of_the_opening_do_not_make_a_game_long() {
        let depth = engine("A", Thinking { depth: Some(1), ..Thinking::default() });
        let opening = Opening { fen: None, moves: ["d6", "f4", "e4", "a7"].map(String::from).to_vec() };
        let adjudication = Adjudication { max_moves: 1, ..NEVER };
        let sheet = game(&opening, (&script(&[("g7", 1)]), &depth), (&script(&[("b4", 1)]), &depth), &adjudication);
        assert_eq!((sheet.moves.len(), sheet.reason.as_str()), (6, "length"));
    }

    #[test]
    fn illegal_moves_lose() {
        let depth = engine("A", Thinking { depth: Some(1), ..Thinking::default() });
        let lost =
            |best| game(&Opening::default(), (&script(&[("d6", 1)]), &depth), (&script(&[(best, 1)]), &depth), &NEVER);
        let sheet = lost("d6");
        assert_eq!((sheet.outcome, sheet.termination), (Outcome::WhiteWins, Termination::IllegalMove));
        assert_eq!(sheet.reason, "A played \"d6\", which is illegal, expected a legal move");
        assert_eq!(lost("").reason, "A played \"\", which cannot be read, expected a move such as d6, a4a7 or d6xb4");
        assert_eq!(
            lost("12345678\u{7}9012345678901").reason,
            "A played \"12345678901234567890\", which cannot be read, expected a move such as d6, a4a7 or d6xb4"
        );
    }

    /// Plays the game of an engine with this limit and this time for its only move, Black's first.
    fn timed(thinking: Thinking, margin: u64, best: &str, time: u64) -> Scoresheet {
        let white = engine("W", Thinking { depth: Some(1), ..Thinking::default() });
        let black = EngineConfig { margin: ms(margin), ..engine("B", thinking) };
        let adjudication = Adjudication { max_moves: 1, stall: ms(2_000), ..NEVER };
        let scripts = (script(&[("d6", 1)]), script(&[(best, time)]));
        let sheet = game(&Opening::default(), (&scripts.0, &white), (&scripts.1, &black), &adjudication);
        let limit = Player::new(&black).limit().map_or(ms(2_000), |limit| limit + ms(margin));
        assert_eq!(scripts.1.asked.borrow()[0].2, limit);
        sheet
    }

    #[test]
    fn late_moves_lose_and_are_recorded() {
        let move_time = Thinking { move_time: Some(ms(100)), ..Thinking::default() };
        let sheet = timed(move_time, 0, "f4", 100);
        assert_eq!((sheet.termination, sheet.moves[1].late), (Termination::Adjudication, None));

        let sheet = timed(move_time, 0, "f4", 101);
        assert_eq!((sheet.outcome, sheet.termination), (Outcome::WhiteWins, Termination::Time));
        assert_eq!((sheet.reason.as_str(), sheet.moves.len()), ("B was 1 ms late", 1));
        let late = sheet.late_move.expect("the late move");
        assert_eq!((late.text.as_str(), late.time, late.late), ("f4", Some(101), Some(1)));
        assert_eq!((late.score.as_deref(), late.depth), (Some("-0.40"), Some(7)));

        // Within the margin it is tolerated, but recorded.
        let sheet = timed(move_time, 30, "f4", 130);
        assert_eq!((sheet.termination, sheet.moves.len()), (Termination::Adjudication, 2));
        assert_eq!((sheet.moves[1].time, sheet.moves[1].late, sheet.late_move), (Some(130), Some(30), None));
        let sheet = timed(move_time, 30, "f4", 131);
        assert_eq!((sheet.termination, sheet.reason.as_str()), (Termination::Time, "B was 31 ms late"));

        // The clock, and a late move that is illegal.
        let sheet = timed(clock("0.2+5"), 0, "d6\u{1}", 250);
        let late = sheet.late_move.expect("the late move");
        assert_eq!((late.text.as_str(), late.time, late.late), ("d6", Some(250), Some(50)));
    }

    #[test]
    fn without_a_limit_on_time_too_late_is_a_stall() {
        let depth = Thinking { depth: Some(1), ..Thinking::default() };
        assert_eq!(timed(depth, 0, "f4", 2_000).termination, Termination::Adjudication);
        let sheet = timed(depth, 0, "f4", 2_001);
        assert_eq!((sheet.outcome, sheet.termination), (Outcome::WhiteWins, Termination::Stall));
        assert_eq!(sheet.reason, "B answered only after 'stop'");
        // With a time limit `--stall` has no effect.
        assert_eq!(timed(clock("5"), 0, "f4", 2_001).termination, Termination::Adjudication);
    }

    #[test]
    fn failures_end_the_game() {
        let depth = engine("A", Thinking { depth: Some(1), ..Thinking::default() });
        let play = |failure: Failure, stop: bool| {
            let failing = Script { answers: RefCell::new([Err(failure)].into()), ..Script::default() };
            let engines: [(&dyn Engine, &EngineConfig); 2] = [(&failing, &depth), (&failing, &depth)];
            play_game(
                &AnyGame::new(Variant::Morris.rules()),
                &Opening::default(),
                engines,
                &NEVER,
                &AtomicBool::new(stop),
            )
            .expect("an opening")
        };
        let end = |failure| play(failure, false).map(|sheet| (sheet.outcome, sheet.termination, sheet.reason));
        assert_eq!(end(Failure::Crash), Some((Outcome::BlackWins, Termination::Crash, "A ended".to_string())));
        assert_eq!(end(Failure::Stall), Some((Outcome::BlackWins, Termination::Stall, "A did not answer".to_string())));
        assert_eq!(end(Failure::Interrupted), None);
        assert_eq!(play(Failure::Crash, true), None);
        let engines: [(&dyn Engine, &EngineConfig); 2] = [(&Script::default(), &depth), (&Script::default(), &depth)];
        let bad = |fen: Option<&str>, mv: &str| {
            let opening = Opening { fen: fen.map(String::from), moves: vec![mv.to_string()] };
            play_game(&AnyGame::new(Variant::Morris.rules()), &opening, engines, &NEVER, &NO_STOP)
                .expect_err("a fault")
                .to_string()
        };
        assert!(bad(None, "d2d3").starts_with("opening move \"d2d3\""));
        assert!(bad(Some("x"), "d6").contains("FEN"));
    }
}
