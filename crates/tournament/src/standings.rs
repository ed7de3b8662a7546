//! The standings of a match.

use super::record::{GameRecord, Outcome};
use super::schedule::Schedule;
use super::sprt::{Decision, Estimate, Pentanomial, Sprt, unsigned_zero};
use millbrain_core::game::fen::counted;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Wins, draws and losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Tally {
    fn add(&mut self, half_points: usize) {
        match half_points {
            2 => self.wins += 1,
            1 => self.draws += 1,
            _ => self.losses += 1,
        }
    }

    /// Returns number of games.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns points per game.
    pub fn score(&self) -> f64 {
        (self.wins as f64 + self.draws as f64 / 2.0) / self.games().max(1) as f64
    }
}

/// Results of two engines against each other, or of one against all others.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Comparison {
    /// Games, from the first engine.
    pub tally: Tally,
    /// Complete pairs of games.
    pub pairs: Pentanomial,
}

impl Comparison {
    /// Returns the games outside complete pairs, which no pair-based estimate includes.
    pub fn unpaired(&self) -> u64 {
        self.tally.games() - 2 * self.pairs.pairs()
    }
}

/// Results so far.
#[derive(Clone, PartialEq, Debug)]
pub struct Standings {
    schedule: Schedule,
    names: Vec<String>,
    /// One more than the highest game number.
    end: usize,
    /// Results by pairing.
    pairings: BTreeMap<[usize; 2], Comparison>,
    /// Half points of the first engine in pairs with one missing game.
    open_pairs: BTreeMap<usize, usize>,
    /// Games won by White, drawn, won by Black.
    colours: Tally,
    terminations: BTreeMap<String, u64>,
    losses: BTreeMap<(usize, String), u64>,
}

/// An engine in the result file.
#[derive(Serialize)]
struct EngineResult {
    name: String,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    score: f64,
    elo: Option<f64>,
    elo_error: Option<f64>,
}

/// Two engines in the result file.
#[derive(Serialize)]
struct PairingResult {
    first: String,
    second: String,
    #[serde(flatten)]
    tally: Tally,
    pentanomial: Pentanomial,
    unpaired: u64,
    elo: Option<f64>,
    elo_error: Option<f64>,
    normalized_elo: Option<f64>,
    normalized_elo_error: Option<f64>,
    likelihood_of_superiority: Option<f64>,
}

/// The sequential test in the result file.
#[derive(Serialize)]
struct SprtResult {
    #[serde(flatten)]
    test: Sprt,
    lower_bound: f64,
    upper_bound: f64,
    log_likelihood_ratio: f64,
    decision: Option<Decision>,
}

/// The result file.
#[derive(Serialize)]
pub struct Summary {
    games: u64,
    games_scheduled: usize,
    white_wins: u64,
    draws: u64,
    black_wins: u64,
    terminations: BTreeMap<String, u64>,
    engines: Vec<EngineResult>,
    pairings: Vec<PairingResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SprtResult>,
}

/// Returns value and error of an estimate for the result file, which has no infinity.
fn finite(estimate: Option<Estimate>) -> (Option<f64>, Option<f64>) {
    (estimate.map(|e| e.value).filter(|value| value.is_finite()), estimate.and_then(|e| e.error))
}

/// Formats an estimate.
fn shown(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(|| "-".to_string(), |estimate| estimate.to_string())
}

impl Standings {
    /// Creates empty standings.
    pub fn new(schedule: Schedule, names: Vec<String>) -> Standings {
        Standings {
            schedule,
            names,
            end: 0,
            pairings: BTreeMap::new(),
            open_pairs: BTreeMap::new(),
            colours: Tally::default(),
            terminations: BTreeMap::new(),
            losses: BTreeMap::new(),
        }
    }

    /// Adds a game; a game without a result counts for neither side.
    pub fn add(&mut self, game: &GameRecord) {
        let Some(white_points) = game.outcome.white_half_points() else { return };
        let fixture = self.schedule.fixture(game.index);
        let [white, black] = fixture.players;
        let points = if fixture.first == white { white_points } else { 2 - white_points };
        self.end = self.end.max(game.index + 1);
        self.colours.add(white_points);
        *self.terminations.entry(game.termination.to_string()).or_default() += 1;
        if game.termination.is_failure() {
            let loser = if game.outcome == Outcome::WhiteWins { black } else { white };
            *self.losses.entry((loser, game.termination.to_string())).or_default() += 1;
        }
        let second = if fixture.first == white { black } else { white };
        let comparison = self.pairings.entry([fixture.first, second]).or_default();
        comparison.tally.add(points);
        if self.schedule.games > 1 {
            match self.open_pairs.remove(&fixture.pair) {
                Some(other) => comparison.pairs.add(points + other),
                None => {
                    self.open_pairs.insert(fixture.pair, points);
                }
            }
        }
    }

    /// Returns games entered.
    pub const fn games(&self) -> u64 {
        self.colours.games()
    }

    /// Returns the first pairing: the only one of a match between two engines.
    pub fn first_pairing(&self) -> Comparison {
        self.pairings.get(&[0, 1]).copied().unwrap_or_default()
    }

    /// Returns the decision of a sequential test. It needs an unbroken run of games from the first one on: which others
    /// are present may depend on their course.
    pub fn decision(&self, sprt: &Sprt) -> Option<Decision> {
        let is_unbroken = self.games() == self.end as u64;
        if is_unbroken { sprt.decision(&self.first_pairing().pairs) } else { None }
    }

    /// Returns the results of an engine against all its opponents.
    fn against_all(&self, engine: usize) -> Tally {
        let mut total = Tally::default();
        for (&[a, b], Comparison { tally, .. }) in &self.pairings {
            let (wins, losses) = if a == engine { (tally.wins, tally.losses) } else { (tally.losses, tally.wins) };
            if a == engine || b == engine {
                total.wins += wins;
                total.draws += tally.draws;
                total.losses += losses;
            }
        }
        total
    }

    /// Returns the ratings of all engines by the Bradley-Terry model, 0 on average; empty for two engines, since their
    /// pairs of games are the better measure.
    ///
    /// Computed by minorisation and maximisation (Hunter 2004). A tenth of a drawn game is added to each pairing, so
    /// that an engine that has won or lost everything has a finite rating.
    fn ratings(&self) -> Vec<Estimate> {
        const ROUNDS: usize = 20_000;
        const DRAWN: f64 = 0.1;
        let count = self.names.len();
        if count < 3 {
            return Vec::new();
        }
        let mut points = vec![0.0; count];
        let mut games = Vec::new();
        for (&[a, b], Comparison { tally, .. }) in &self.pairings {
            let (played, won) = (tally.games() as f64 + DRAWN, tally.score() * tally.games() as f64 + DRAWN / 2.0);
            points[a] += won;
            points[b] += played - won;
            games.push((a, b, played));
        }
        let mut strength = vec![1.0; count];
        for _ in 0..ROUNDS {
            let mut weight = vec![0.0; count];
            for &(a, b, played) in &games {
                let share = played / (strength[a] + strength[b]);
                weight[a] += share;
                weight[b] += share;
            }
            for i in (0..count).filter(|&i| weight[i] > 0.0) {
                strength[i] = points[i] / weight[i];
            }
        }
        let elo: Vec<f64> = strength.iter().map(|strength: &f64| 400.0 * strength.log10()).collect();
        let mean = elo.iter().sum::<f64>() / count as f64;
        let mut information = vec![0.0; count];
        for &(a, b, played) in &games {
            let chance = strength[a] / (strength[a] + strength[b]);
            information[a] += played * chance * (1.0 - chance);
            information[b] += played * chance * (1.0 - chance);
        }
        let error = |information: &f64| 1.96 * 400.0 / 10f64.ln() / information.sqrt();
        elo.iter().zip(&information).map(|(elo, information)| Estimate::new(elo - mean, error(information))).collect()
    }

    fn pairing_text(&self, text: &mut String, [a, b]: [usize; 2], comparison: &Comparison) {
        let Comparison { tally, pairs } = comparison;
        let _ = writeln!(
            text,
            "Score of {} vs {}: {} - {} - {} [{:.3}] {}",
            self.names[a],
            self.names[b],
            tally.wins,
            tally.losses,
            tally.draws,
            tally.score(),
            tally.games()
        );
        if pairs.pairs() > 0 {
            let superiority = pairs.likelihood_of_superiority().unwrap_or(0.5) * 100.0;
            let _ = writeln!(
                text,
                "Elo {}, nElo {}, LOS {superiority:.1} %, Ptnml(0-2) {:?}",
                shown(pairs.elo()),
                shown(pairs.normalized_elo()),
                pairs.0
            );
        }
        let unpaired = comparison.unpaired();
        // With single games the ratings of several engines include all games.
        if unpaired > 0 && (self.schedule.games > 1 || self.names.len() == 2) {
            let _ =
                writeln!(text, "Left out of Elo, which counts pairs of games: {}", counted(unpaired as usize, "game"));
        }
    }

    /// Formats the standings as text.
    pub fn text(&self, sprt: Option<&Sprt>) -> String {
        let mut text = String::new();
        let ratings = self.ratings();
        if !ratings.is_empty() {
            let width = self.names.iter().map(String::len).max().unwrap_or(0).max(6);
            let _ = writeln!(text, "{:>4} {:<width$} {:>6} {:>7} {:>18}", "Rank", "Engine", "Games", "Score", "Elo");
            let mut ranking: Vec<_> = (0..self.names.len()).collect();
            ranking.sort_by(|&a, &b| ratings[b].value.total_cmp(&ratings[a].value));
            for (rank, engine) in ranking.into_iter().enumerate() {
                let (name, all) = (&self.names[engine], self.against_all(engine));
                let (score, games) = (all.score() * 100.0, all.games());
                let elo = ratings[engine].to_string();
                let _ = writeln!(text, "{:>4} {name:<width$} {games:>6} {score:>5.1} % {elo:>18}", rank + 1);
            }
        }
        for (pairing, comparison) in &self.pairings {
            self.pairing_text(&mut text, *pairing, comparison);
        }
        if let Some(sprt) = sprt {
            let pairs = self.first_pairing().pairs;
            let ratio = unsigned_zero(pairs.log_likelihood_ratio(sprt.elo0, sprt.elo1), 2);
            let (lower, upper) = sprt.bounds();
            let decision = match self.decision(sprt) {
                Some(Decision::Passed) => ": passed",
                Some(Decision::Failed) => ": failed",
                None => "",
            };
            let (elo0, elo1) = (sprt.elo0, sprt.elo1);
            let _ = writeln!(text, "SPRT [{elo0}, {elo1}]: LLR {ratio:.2} ({lower:.2}, {upper:.2}){decision}");
        }
        let Tally { wins, draws, losses } = self.colours;
        let endings: Vec<_> = self.terminations.iter().map(|(name, count)| format!("{name} {count}")).collect();
        let _ = writeln!(
            text,
            "Games {}: white {wins}, draws {draws}, black {losses}; {}",
            self.games(),
            endings.join(", ")
        );
        for ((engine, termination), count) in &self.losses {
            let _ = writeln!(text, "{} lost {count} by {termination}", self.names[*engine]);
        }
        text
    }

    /// Returns the standings as data.
    pub fn summary(&self, sprt: Option<&Sprt>) -> Summary {
        let ratings = self.ratings();
        let engines = self.names.iter().enumerate().map(|(i, name)| {
            let tally = self.against_all(i);
            let (elo, elo_error) = finite(ratings.get(i).copied());
            EngineResult {
                name: name.clone(),
                games: tally.games(),
                wins: tally.wins,
                draws: tally.draws,
                losses: tally.losses,
                score: tally.score(),
                elo,
                elo_error,
            }
        });
        let pairings = self.pairings.iter().map(|([a, b], comparison)| {
            let Comparison { tally, pairs } = comparison;
            let (elo, elo_error) = finite(pairs.elo());
            let (normalized_elo, normalized_elo_error) = finite(pairs.normalized_elo());
            PairingResult {
                first: self.names[*a].clone(),
                second: self.names[*b].clone(),
                tally: *tally,
                pentanomial: *pairs,
                unpaired: comparison.unpaired(),
                elo,
                elo_error,
                normalized_elo,
                normalized_elo_error,
                likelihood_of_superiority: pairs.likelihood_of_superiority(),
            }
        });
        let pairs = self.first_pairing().pairs;
        Summary {
            games: self.games(),
            games_scheduled: self.schedule.len(),
            white_wins: self.colours.wins,
            draws: self.colours.draws,
            black_wins: self.colours.losses,
            terminations: self.terminations.clone(),
            engines: engines.collect(),
            pairings: pairings.collect(),
            sprt: sprt.map(|test| SprtResult {
                test: *test,
                lower_bound: test.bounds().0,
                upper_bound: test.bounds().1,
                log_likelihood_ratio: pairs.log_likelihood_ratio(test.elo0, test.elo1),
                decision: self.decision(test),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;
    use crate::record::Termination;

    #[test]
    fn pairs_are_put_together_in_any_order() {
        let schedule = Schedule { engines: 2, gauntlet: false, rounds: 3, games: 2, openings: 3 };
        let mut standings = Standings::new(schedule, vec!["A".to_string(), "B".to_string()]);
        let outcomes = [
            (5, Outcome::BlackWins),
            (0, Outcome::WhiteWins),
            (2, Outcome::Draw),
            (4, Outcome::WhiteWins),
            (1, Outcome::WhiteWins),
        ];
        for (index, outcome) in outcomes {
            standings.add(&GameRecord { index, outcome, ..example() });
        }
        // A won games 4 and 5, each side won one of games 0 and 1, and game 3 is missing.
        let Comparison { tally, pairs } = standings.first_pairing();
        assert_eq!(tally, Tally { wins: 3, draws: 1, losses: 1 });
        assert_eq!(pairs, Pentanomial([0, 0, 1, 0, 1]));
        assert_eq!(standings.against_all(1), Tally { wins: 1, draws: 1, losses: 3 });
        let text = standings.text(None);
        assert!(text.contains("Score of A vs B: 3 - 1 - 1 [0.700] 5"), "{text}");
        let (elo, rest) = text.split_once("Ptnml(0-2) [0, 0, 1, 0, 1]\n").expect("pairs");
        assert!(
            elo.contains("\nElo ") && rest.starts_with("Left out of Elo, which counts pairs of games: 1 game\n"),
            "{text}"
        );
        let json = serde_json::to_value(standings.summary(None)).expect("data");
        assert_eq!((&json["pairings"][0]["pentanomial"][4], &json["pairings"][0]["unpaired"]), (&1.into(), &1.into()));
        // The missing game completes all pairs.
        standings.add(&GameRecord { index: 3, outcome: Outcome::Draw, ..example() });
        assert_eq!(standings.first_pairing().unpaired(), 0);
        assert!(!standings.text(None).contains("Left out"));
    }

    #[test]
    fn three_games_to_a_meeting_leave_one_without_its_reverse() {
        let schedule = Schedule { engines: 2, gauntlet: false, rounds: 2, games: 3, openings: 4 };
        let games: Vec<_> = (0..6).map(|index| (index, Draw)).collect();
        let two = standings(&["A", "B"], &schedule, &games);
        assert!(
            two.text(None).contains("\nLeft out of Elo, which counts pairs of games: 2 games\n"),
            "{}",
            two.text(None)
        );
        // The ratings of three engines include single games.
        let schedule = Schedule { engines: 3, gauntlet: false, rounds: 2, games: 1, openings: 2 };
        assert!(!standings(&["A", "B", "C"], &schedule, &games).text(None).contains("Left out"));
    }

    fn standings(names: &[&str], schedule: &Schedule, games: &[(usize, Outcome)]) -> Standings {
        let mut standings = Standings::new(schedule.clone(), names.iter().map(ToString::to_string).collect());
        for &(index, outcome) in games {
            standings.add(&GameRecord { index, outcome, ..example() });
        }
        standings
    }

    fn json(standings: &Standings, sprt: Option<&Sprt>) -> serde_json::Value {
        serde_json::to_value(standings.summary(sprt)).expect("data")
    }

    use Outcome::{BlackWins, Draw, WhiteWins};

    #[test]
    fn an_engine_without_a_game_spoils_no_rating() {
        let schedule = Schedule { engines: 3, gauntlet: false, rounds: 1, games: 2, openings: 1 };
        let ratings = standings(&["A", "B", "C"], &schedule, &[(0, WhiteWins), (1, BlackWins)]).ratings();
        assert!(ratings[0].value > ratings[2].value && ratings[2].value > ratings[1].value, "{ratings:?}");
        assert!(ratings[0].error.is_some() && ratings[2].error.is_none(), "{ratings:?}");
    }

    #[test]
    fn two_draws_tell_no_error_anywhere() {
        let schedule = Schedule { engines: 2, gauntlet: false, rounds: 1, games: 2, openings: 1 };
        let standings = standings(&["A", "B"], &schedule, &[(0, Draw), (1, Draw)]);
        let text = standings.text(None);
        assert_eq!(
            text,
            "Score of A vs B: 0 - 0 - 2 [0.500] 2\n\
             Elo 0.0 +/- -, nElo -, LOS 50.0 %, Ptnml(0-2) [0, 0, 1, 0, 0]\n\
             Games 2: white 0, draws 2, black 0; normal 2\n"
        );
        let json = json(&standings, None);
        assert_eq!(json["pairings"][0]["elo"].to_string(), "0.0");
        assert!(json["pairings"][0]["elo_error"].is_null() && json["pairings"][0]["normalized_elo"].is_null());
        // For two engines the pairing is sufficient.
        assert!((0..2).all(|i| json["engines"][i]["elo"].is_null() && json["engines"][i]["elo_error"].is_null()));
    }

    #[test]
    fn text_and_result_file_agree() {
        let schedule = Schedule { engines: 2, gauntlet: false, rounds: 2, games: 2, openings: 1 };
        // A wins one and draws one game of the first pair, and draws both of the second.
        let standings = standings(&["A", "B"], &schedule, &[(0, WhiteWins), (1, Draw), (2, Draw), (3, Draw)]);
        let sprt = Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.1, beta: 0.02 };
        assert_eq!(
            standings.text(Some(&sprt)),
            "Score of A vs B: 1 - 0 - 3 [0.625] 4\n\
             Elo 88.7 +/- 136.3, nElo 245.7 +/- 340.5, LOS 92.1 %, Ptnml(0-2) [0, 0, 1, 1, 0]\n\
             SPRT [0, 10]: LLR 0.04 (-3.81, 2.28)\n\
             Games 4: white 1, draws 3, black 0; normal 4\n"
        );
        let json = json(&standings, Some(&sprt));
        let pairing = &json["pairings"][0];
        for (name, value) in [
            ("elo", 88.739_499_846_5),
            ("elo_error", 136.270_473_930),
            ("normalized_elo", 245.674_058_549),
            ("normalized_elo_error", 340.480_619_972),
            ("likelihood_of_superiority", 0.921_350_396),
        ] {
            assert!((pairing[name].as_f64().expect(name) - value).abs() < 1e-6 * value, "{name}: {}", pairing[name]);
        }
        assert_eq!((json["sprt"]["alpha"].as_f64(), json["sprt"]["beta"].as_f64()), (Some(0.1), Some(0.02)));
        assert!(json["sprt"]["decision"].is_null());
    }

    #[test]
    fn a_decision_is_shown() {
        let schedule = Schedule { engines: 2, gauntlet: false, rounds: 300, games: 2, openings: 1 };
        let sprt = Sprt { elo0: 0.0, elo1: 20.0, alpha: 0.05, beta: 0.05 };
        for (white_of_even, decision, reported) in
            [(WhiteWins, "Passed", ": passed"), (BlackWins, "Failed", ": failed")]
        {
            // One engine wins with White and draws with Black.
            let games: Vec<_> = (0..600).map(|i| (i, if i % 2 == 0 { white_of_even } else { Draw })).collect();
            let standings = standings(&["A", "B"], &schedule, &games);
            let line = standings.text(Some(&sprt)).lines().find(|line| line.starts_with("SPRT")).map(String::from);
            assert!(line.is_some_and(|line| line.ends_with(reported)));
            assert_eq!(json(&standings, Some(&sprt))["sprt"]["decision"], decision);
        }
    }

    /// The expected ratings were found by gradient ascent on the likelihood, by another program.
    #[test]
    fn ratings_are_the_most_likely_ones() {
        let schedule = Schedule { engines: 3, gauntlet: false, rounds: 1, games: 4, openings: 1 };
        let outcomes = [
            // A against B: 2.5 of 4, with White in the even games.
            [WhiteWins, Draw, WhiteWins, WhiteWins],
            // A against C: 3.5 of 4.
            [WhiteWins, BlackWins, WhiteWins, Draw],
            // B against C: 2 of 4.
            [Draw, Draw, BlackWins, BlackWins],
        ];
        let games: Vec<_> = outcomes.into_iter().flatten().enumerate().collect();
        let standings = standings(&["A", "Beta", "C, the long name"], &schedule, &games);
        let expected = [
            (124.393_600_103, 273.236_179_163),
            (-31.243_699_885, 251.205_938_758),
            (-93.149_900_218, 260.990_616_043),
        ];
        for (i, (value, error)) in expected.into_iter().enumerate() {
            let rating = standings.ratings()[i];
            assert!((rating.value - value).abs() < 1e-6, "{rating:?}");
            assert!(rating.error.is_some_and(|found| (found - error).abs() < 1e-6), "{rating:?}");
            let engine = &json(&standings, None)["engines"][i];
            assert_eq!((engine["elo"].as_f64(), engine["elo_error"].as_f64()), (Some(rating.value), rating.error));
        }
        let tallies: Vec<_> = (0..3).map(|engine| standings.against_all(engine)).collect();
        let tally = |wins, draws, losses| Tally { wins, draws, losses };
        assert_eq!(tallies, [tally(5, 2, 1), tally(2, 3, 3), tally(1, 3, 4)]);
        let expected = "\
            Rank Engine            Games   Score                Elo\n   \
               1 A                     8  75.0 %    124.4 +/- 273.2\n   \
               2 Beta                  8  43.8 %    -31.2 +/- 251.2\n   \
               3 C, the long name      8  31.2 %    -93.1 +/- 261.0\n\
            Score of A vs Beta: 2 - 1 - 1 [0.625] 4\n";
        assert!(standings.text(None).starts_with(expected), "{}", standings.text(None));
    }

    #[test]
    fn ends_and_losses_are_counted() {
        let schedule = Schedule { engines: 2, gauntlet: false, rounds: 4, games: 1, openings: 1 };
        let mut standings = standings(&["A", "B"], &schedule, &[(0, WhiteWins)]);
        // With one game per meeting colours alternate by round.
        for (index, outcome, termination) in [
            (1, WhiteWins, Termination::Time),
            (2, BlackWins, Termination::Time),
            (3, BlackWins, Termination::Adjudication),
        ] {
            standings.add(&GameRecord { index, outcome, termination, ..example() });
        }
        assert_eq!(
            standings.text(None),
            "Score of A vs B: 2 - 2 - 0 [0.500] 4\n\
             Left out of Elo, which counts pairs of games: 4 games\n\
             Games 4: white 2, draws 0, black 2; adjudication 1, normal 1, time forfeit 2\n\
             A lost 2 by time forfeit\n"
        );
        assert!(standings.open_pairs.is_empty());
        let json = json(&standings, None);
        assert_eq!((json["white_wins"].as_u64(), json["black_wins"].as_u64()), (Some(2), Some(2)));
        assert_eq!(
            (json["games_scheduled"].as_u64(), json["terminations"]["time forfeit"].as_u64()),
            (Some(4), Some(2))
        );
    }
}
