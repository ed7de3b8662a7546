//! Counts games in the order of the schedule, independent of the order in which they end.

use super::journal::MatchConfig;
use super::record::GameRecord;
use super::sprt::Sprt;
use super::standings::Standings;
use std::collections::BTreeMap;
use std::iter::Peekable;

/// Counts the games of a match in the order of the schedule; as an iterator it returns each counted game.
///
/// If games counted as they end, short games would come first, and the result would depend on the concurrency. So a
/// game waits for its predecessors. After the sequential test has decided, no game counts.
pub struct Scoreboard {
    standings: Standings,
    test: Option<Sprt>,
    is_decided: bool,
    /// Numbers of the uncounted games.
    turns: Peekable<Box<dyn Iterator<Item = usize> + Send>>,
    waiting: BTreeMap<usize, GameRecord>,
    /// Whether no more games will come.
    is_closed: bool,
}

impl Scoreboard {
    /// Creates a scoreboard that has received these games and counted none.
    pub fn new(config: &MatchConfig, games: impl IntoIterator<Item = GameRecord>) -> Scoreboard {
        let mut scoreboard = Scoreboard {
            standings: config.standings(),
            test: config.test().copied(),
            is_decided: false,
            turns: (Box::new(config.games()) as Box<dyn Iterator<Item = usize> + Send>).peekable(),
            waiting: BTreeMap::new(),
            is_closed: false,
        };
        games.into_iter().for_each(|game| scoreboard.take_in(game));
        scoreboard
    }

    /// Adds a finished game, to be counted in its turn. Only the first game with a number counts.
    pub fn take_in(&mut self, game: GameRecord) {
        if self.turns.peek().is_some_and(|&turn| turn <= game.index) {
            self.waiting.entry(game.index).or_insert(game);
        }
    }

    /// Ends the input: waiting games are counted despite missing predecessors.
    pub const fn close(&mut self) {
        self.is_closed = true;
    }

    /// Returns the games counted so far.
    pub const fn standings(&self) -> &Standings {
        &self.standings
    }

    /// Whether the sequential test has reached a decision.
    pub const fn is_decided(&self) -> bool {
        self.is_decided
    }
}

impl Iterator for Scoreboard {
    type Item = GameRecord;

    /// Counts the next game; `None` if it is still missing or does not count.
    fn next(&mut self) -> Option<GameRecord> {
        if self.is_decided {
            return None;
        }
        let game = if self.is_closed {
            self.waiting.pop_first()?.1
        } else {
            let game = self.waiting.remove(self.turns.peek()?)?;
            self.turns.next();
            game
        };
        self.standings.add(&game);
        self.is_decided = self.test.is_some_and(|test| self.standings.decision(&test).is_some());
        Some(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;
    use crate::journal::tests::settings;
    use crate::record::Outcome;
    use proptest::prelude::*;

    /// Of every four games the first engine wins three and draws one.
    fn game(index: usize) -> GameRecord {
        let outcome = [Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw, Outcome::BlackWins][index % 4];
        GameRecord { index, outcome, ..example() }
    }

    fn indices(games: impl IntoIterator<Item = GameRecord>) -> Vec<usize> {
        games.into_iter().map(|game| game.index).collect()
    }

    #[test]
    fn games_wait_for_those_before_them() {
        let config = settings(3, None);
        let mut scoreboard = Scoreboard::new(&config, []);
        let mut take = |index| {
            scoreboard.take_in(game(index));
            indices(scoreboard.by_ref())
        };
        assert_eq!(take(2), [0; 0]);
        assert_eq!(take(0), [0]);
        assert_eq!(take(0), [0; 0], "counted once");
        assert_eq!(take(4), [0; 0]);
        assert_eq!(take(1), [1, 2]);
        assert_eq!(scoreboard.standings().games(), 3);
        // Game 3 is missing.
        scoreboard.take_in(game(5));
        scoreboard.close();
        assert_eq!(indices(scoreboard.by_ref()), [4, 5]);
        assert_eq!(scoreboard.standings().games(), 5);
    }

    #[test]
    fn a_part_is_counted_in_its_own_order_and_decides_nothing() {
        let test = Some(Sprt { elo0: 0.0, elo1: 200.0, alpha: 0.05, beta: 0.05 });
        for shard in ["1/2", "2/2"] {
            let config = MatchConfig { shard: shard.parse().expect("a shard"), ..settings(100, test) };
            let games: Vec<_> = config.games().collect();
            let mut scoreboard = Scoreboard::new(&config, games.iter().rev().map(|&index| game(index)));
            assert_eq!(indices(scoreboard.by_ref()), games);
            assert_eq!((games.len(), scoreboard.is_decided()), (100, false));
            assert!(!scoreboard.standings().text(config.test()).contains("SPRT"));
        }
    }

    #[test]
    fn the_test_decides_on_an_unbroken_run_alone() {
        let test = Sprt { elo0: 0.0, elo1: 200.0, alpha: 0.05, beta: 0.05 };
        let config = settings(100, Some(test));
        let mut whole = Scoreboard::new(&config, (0..200).map(game));
        let counted = indices(whole.by_ref());
        let decided = counted.len();
        assert!(whole.is_decided() && (4..100).contains(&decided), "{decided}");
        assert_eq!(counted, (0..decided).collect::<Vec<_>>());
        assert!(whole.standings().text(Some(&test)).contains(": passed"));
        // Games after the decision never count.
        whole.close();
        assert_eq!(whole.next(), None);
        // Without the third game there is no decision, regardless of the others.
        let mut broken = Scoreboard::new(&config, (0..200).filter(|&index| index != 2).map(game));
        assert_eq!(indices(broken.by_ref()), [0, 1]);
        broken.close();
        assert_eq!(broken.by_ref().count(), 197);
        let text = broken.standings().text(Some(&test));
        assert!(!broken.is_decided() && text.contains("SPRT") && !text.contains("passed"), "{text}");
        assert!(
            serde_json::to_value(broken.standings().summary(Some(&test))).expect("data")["sprt"]["decision"].is_null()
        );
        // With it, the result equals that of the usual order.
        let mut late = Scoreboard::new(&config, (0..200).filter(|&index| index != 2).map(game));
        assert_eq!(late.by_ref().count(), 2);
        late.take_in(game(2));
        assert_eq!(late.by_ref().count(), decided - 2);
        assert_eq!(late.standings(), whole.standings());
    }

    proptest! {
        #[test]
        fn the_order_in_which_games_end_does_not_matter(
            order in Just((0..40).collect::<Vec<usize>>()).prop_shuffle(),
            elo1 in 50.0..400.0f64,
        ) {
            let test = Sprt { elo0: 0.0, elo1, alpha: 0.1, beta: 0.1 };
            let config = settings(20, Some(test));
            let mut sorted = Scoreboard::new(&config, (0..40).map(game));
            let expected: Vec<_> = sorted.by_ref().collect();
            let mut scoreboard = Scoreboard::new(&config, []);
            let mut counted = Vec::new();
            for index in order {
                scoreboard.take_in(game(index));
                counted.extend(scoreboard.by_ref());
            }
            prop_assert_eq!(counted, expected);
            prop_assert_eq!(scoreboard.standings(), sorted.standings());
        }
    }
}
