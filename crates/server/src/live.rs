//! A running match as events: a snapshot for new clients, then all changes.
//!
//! The playing threads send updates through a channel that never blocks. A separate thread updates the state and
//! notifies the clients. If the channel was full, the next update of a game includes everything missed.

use millbrain_core::options::Value as OptionValue;
use millbrain_games::record::{GameRecord, MoveRecord, black_begins};
use millbrain_tournament::journal::MatchConfig;
use millbrain_tournament::observer::{GameView, Observer};
use millbrain_tournament::scoreboard::Scoreboard;
use millbrain_tournament::standings::Standings;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast;

/// Capacity of the channel from the games.
const UPDATES: usize = 1_024;
/// Events that a slow client may lag behind before it gets a new snapshot.
const BEHIND: usize = 256;
/// Finished games in a snapshot.
const FINISHED: usize = 50;

/// The last report of an engine in its game.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct Said {
    score: Value,
    depth: Option<u32>,
}

impl Said {
    fn of(played: &MoveRecord) -> Option<Said> {
        let score = played.score.as_deref().and_then(score)?;
        Some(Said { score, depth: played.depth })
    }
}

/// Parses the score of a record as `{"cp": 35}` or `{"mate": -4}`.
fn score(text: &str) -> Option<Value> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some(moves) = rest.strip_prefix('M') {
        return Some(serde_json::json!({ "mate": sign * moves.parse::<i64>().ok()? }));
    }
    let stones: f64 = rest.parse().ok()?;
    Some(serde_json::json!({ "cp": sign * (stones * 100.0).round() as i64 }))
}

/// A value for White and one for Black.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
struct Both<T> {
    white: T,
    black: T,
}

/// A running game.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct Running {
    number: usize,
    white: String,
    black: String,
    variant: String,
    /// House rules.
    options: BTreeMap<&'static str, OptionValue>,
    fen: String,
    moves: Vec<String>,
    clocks: Both<Option<u64>>,
    last: Both<Option<Said>>,
}

impl Running {
    fn of(view: &GameView<'_>) -> Running {
        let black_first = usize::from(black_begins(view.fen));
        let last = |side: usize| {
            let own = view.moves.iter().enumerate().rev().filter(|(ply, _)| (ply + black_first) % 2 == side);
            own.map(|(_, played)| played).take(1).find_map(Said::of)
        };
        let [white, black] = view.clocks.map(|clock| clock.map(|clock| clock.as_millis() as u64));
        Running {
            number: view.index + 1,
            white: view.white.to_string(),
            black: view.black.to_string(),
            variant: view.rules.variant.to_string(),
            options: view.rules.rules.house_rules(view.rules.variant).into_iter().collect(),
            fen: view.fen.to_string(),
            moves: view.moves.iter().map(|played| played.text.clone()).collect(),
            clocks: Both { white, black },
            last: Both { white: last(0), black: last(1) },
        }
    }
}

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct Finished {
    number: usize,
    white: String,
    black: String,
    result: String,
    termination: String,
    reason: String,
    plies: usize,
}

impl Finished {
    fn of(game: &GameRecord) -> Finished {
        Finished {
            number: game.index + 1,
            white: game.white.clone(),
            black: game.black.clone(),
            result: game.outcome.to_string(),
            termination: game.termination.to_string(),
            reason: game.reason.clone(),
            plies: game.moves.len(),
        }
    }
}

/// The whole match, as sent to new clients.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct Snapshot {
    variant: String,
    /// Whether the match is over.
    over: bool,
    games: Vec<Running>,
    finished: VecDeque<Finished>,
    standings: Value,
}

/// An event of the stream.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Name of the event.
    pub name: &'static str,
    /// Data of the event, as JSON.
    pub data: String,
}

impl Event {
    fn new(name: &'static str, data: &impl Serialize) -> Event {
        // Strings and numbers can always be serialised.
        Event { name, data: serde_json::to_string(data).unwrap_or_default() }
    }
}

struct State {
    variant: String,
    over: bool,
    running: BTreeMap<usize, Running>,
    finished: VecDeque<Finished>,
    standings: Value,
}

/// A match with spectators.
pub struct Live {
    state: Mutex<State>,
    events: broadcast::Sender<Arc<Event>>,
}

/// A move with its details.
#[derive(Serialize)]
struct Moved<'a> {
    number: usize,
    ply: usize,
    #[serde(rename = "move")]
    text: &'a str,
    clocks: &'a Both<Option<u64>>,
    last: &'a Both<Option<Said>>,
}

impl Live {
    /// Creates the view of a match with these settings and counted games.
    pub fn new(config: &MatchConfig, scoreboard: &mut Scoreboard) -> Arc<Live> {
        let counted: Vec<GameRecord> = scoreboard.by_ref().collect();
        let newest = counted.iter().skip(counted.len().saturating_sub(FINISHED));
        let state = State {
            variant: config.variant.clone(),
            over: false,
            running: BTreeMap::new(),
            finished: newest.map(Finished::of).collect(),
            standings: table(scoreboard.standings(), config),
        };
        Arc::new(Live { state: Mutex::new(state), events: broadcast::Sender::new(BEHIND) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the current state of the match, and a receiver of all later events.
    pub fn watch(&self) -> (Event, broadcast::Receiver<Arc<Event>>) {
        let state = self.lock();
        let snapshot = Snapshot {
            variant: state.variant.clone(),
            over: state.over,
            games: state.running.values().cloned().collect(),
            finished: state.finished.clone(),
            standings: state.standings.clone(),
        };
        // Under the lock, so that no event is sent twice or lost.
        (Event::new("state", &snapshot), self.events.subscribe())
    }

    /// Sends an event under the lock of the state, in the order of its changes.
    fn tell(&self, event: Event) {
        // Without clients the event is dropped.
        let _ = self.events.send(Arc::new(event));
    }

    fn stands(&self, game: Running) {
        let mut state = self.lock();
        let before = state.running.get(&game.number).map(|before| before.moves.len());
        let event = match game.moves.last() {
            Some(text) if before.is_some_and(|before| before + 1 == game.moves.len()) => {
                let (number, ply) = (game.number, game.moves.len());
                Event::new("move", &Moved { number, ply, text, clocks: &game.clocks, last: &game.last })
            }
            _ => Event::new("game", &game),
        };
        state.running.insert(game.number, game);
        self.tell(event);
    }

    fn gone(&self, number: usize) {
        let mut state = self.lock();
        if state.running.remove(&number).is_some() {
            self.tell(Event::new("gone", &serde_json::json!({ "number": number })));
        }
    }

    /// Adds a counted game.
    pub(super) fn finished(&self, game: &GameRecord, standings: Value) {
        let finished = Finished::of(game);
        let mut state = self.lock();
        state.running.remove(&finished.number);
        self.tell(Event::new("end", &finished));
        state.finished.push_back(finished);
        if state.finished.len() > FINISHED {
            state.finished.pop_front();
        }
        self.tell(Event::new("standings", &standings));
        state.standings = standings;
    }

    fn over(&self) {
        let mut state = self.lock();
        state.over = true;
        state.running.clear();
        self.tell(Event::new("over", &state.standings));
    }
}

/// Returns the standings as sent to clients.
pub(super) fn table(standings: &Standings, config: &MatchConfig) -> Value {
    serde_json::to_value(standings.summary(config.test())).unwrap_or_default()
}

/// An update of the state.
enum Update {
    Stands(Box<Running>),
    Gone(usize),
    Finished(Box<GameRecord>, Value),
    Over,
}

/// The input for the events of a match.
pub struct Feed {
    updates: SyncSender<Update>,
    config: MatchConfig,
}

/// The observer of a feed.
struct Forwarder(SyncSender<Update>);

impl Observer for Forwarder {
    fn game_begun(&self, game: &GameView<'_>) {
        // A match never waits for its spectators.
        let _ = self.0.try_send(Update::Stands(Box::new(Running::of(game))));
    }

    fn move_made(&self, game: &GameView<'_>) {
        self.game_begun(game);
    }

    fn game_over(&self, index: usize) {
        let _ = self.0.try_send(Update::Gone(index + 1));
    }
}

impl Feed {
    /// Starts to feed a match from a separate thread.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(live: Arc<Live>, config: &MatchConfig) -> io::Result<Feed> {
        let (updates, inbox) = sync_channel(UPDATES);
        std::thread::Builder::new().name("live".to_string()).spawn(move || digest(&live, &inbox))?;
        Ok(Feed { updates, config: config.clone() })
    }

    /// Returns an observer of the games for this feed.
    pub fn observer(&self) -> Arc<dyn Observer> {
        Arc::new(Forwarder(self.updates.clone()))
    }

    /// Reports a counted game.
    pub fn game_finished(&self, game: &GameRecord, standings: &Standings) {
        let update = Update::Finished(Box::new(game.clone()), table(standings, &self.config));
        // No game is timed by this thread: it may wait.
        let _ = self.updates.send(update);
    }

    /// Reports the end of the match.
    pub fn match_ended(&self) {
        let _ = self.updates.send(Update::Over);
    }
}

fn digest(live: &Live, inbox: &Receiver<Update>) {
    for update in inbox {
        match update {
            Update::Stands(game) => live.stands(*game),
            Update::Gone(number) => live.gone(number),
            Update::Finished(game, standings) => live.finished(&game, standings),
            Update::Over => return live.over(),
        }
    }
}

/// Time for a feed to send the last events after the match.
pub const LAST_WORDS: Duration = Duration::from_millis(200);

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::variant::Variant;
    use millbrain_files::shard::Shard;
    use millbrain_tournament::config::EngineConfig;
    use millbrain_tournament::referee::Adjudication;
    use millbrain_tournament::schedule::Schedule;

    fn config() -> MatchConfig {
        let engine = |name: &str| EngineConfig { name: name.to_string(), ..EngineConfig::default() };
        MatchConfig {
            variant: "morris".to_string(),
            house_rules: String::new(),
            engines: vec![engine("A"), engine("B")],
            schedule: Schedule { engines: 2, gauntlet: false, rounds: 1, games: 2, openings: 0 },
            openings: Vec::new(),
            adjudication: Adjudication { draw: None, resign: None, max_moves: 1, stall: Duration::from_secs(1) },
            sprt: None,
            recover: true,
            lenient: false,
            replay_killed: false,
            tables: Vec::new(),
            concurrency: 1,
            shard: Shard::ALL,
        }
    }

    fn running(moves: &[(&str, Option<&str>)]) -> Running {
        let played = |&(text, score): &(&str, Option<&str>)| MoveRecord {
            text: text.to_string(),
            score: score.map(String::from),
            depth: Some(5),
            ..MoveRecord::default()
        };
        let moves: Vec<_> = moves.iter().map(played).collect();
        Running::of(&GameView {
            index: 0,
            white: "A",
            black: "B",
            rules: Variant::Morris.into(),
            fen: "3/3/3/6/3/3/3 w 9 9 0 1",
            moves: &moves,
            clocks: [Some(Duration::from_millis(1_234)), None],
        })
    }

    #[test]
    fn scores_are_reported_as_numbers() {
        assert_eq!(score("+0.35"), Some(serde_json::json!({"cp": 35})));
        assert_eq!(score("-12.01"), Some(serde_json::json!({"cp": -1201})));
        assert_eq!(score("-M4"), Some(serde_json::json!({"mate": -4})));
        assert_eq!(score("x"), None);
        let game = running(&[("d6", Some("+0.10")), ("f4", Some("-M2")), ("b4", None)]);
        assert_eq!(game.last.white, None, "of the last move, not of one before");
        assert_eq!(game.last.black, Some(Said { score: serde_json::json!({"mate": -2}), depth: Some(5) }));
        assert_eq!(game.clocks, Both { white: Some(1_234), black: None });
    }

    #[test]
    fn what_was_missed_comes_with_the_next_news() {
        let live = Live::new(&config(), &mut Scoreboard::new(&config(), []));
        let (snapshot, mut events) = live.watch();
        assert_eq!(snapshot.name, "state");
        assert!(snapshot.data.starts_with(r#"{"variant":"morris","over":false,"games":[],"#), "{}", snapshot.data);
        live.stands(running(&[]));
        live.stands(running(&[("d6", None)]));
        live.stands(running(&[("d6", None), ("f4", None), ("b4", None)]));
        live.stands(running(&[("d6", None), ("f4", None), ("b4", None), ("d2", None)]));
        live.gone(1);
        live.gone(1);
        live.over();
        let names: Vec<_> = std::iter::from_fn(|| events.try_recv().ok()).map(|event| event.name).collect();
        assert_eq!(names, ["game", "move", "game", "move", "gone", "over"]);
        assert!(live.watch().0.data.contains(r#""over":true"#));
    }
}
