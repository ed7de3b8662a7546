//! Strategies for the beginning of a game: sets of positions that one side can always reach.
//!
//! A strategy holds positions with the opponent to move. After each reply that preserves the value, some move leads to
//! another of its positions, until some ply. So a side that follows it cannot err there, and needs no search. Where
//! moving stones return to answered positions, a strategy may close: it then answers every such reply, however long the
//! game.
//!
//! Of the many possible strategies, a small one is wanted. Ply by ply the positions to be answered are known. Each move
//! from one of them is a set of those that it answers, since different positions lead to the same one. Choosing few of
//! these sets is set cover, which the greedy rule solves well: take the set that answers most for the least cost. The
//! cost is the number of new positions to be answered at the next ply, weighted by how far a side is behind in them. So
//! moves that leave the opponent few good replies are preferred.
//!
//! Where the opponent has erred, a move may lead to a position of the strategy and yet give the win away. Such
//! positions are costs, too. In the end all replies to held positions are visited, those to the last of them too. Won
//! positions from which a move leads to any held draw go into the pack as won. So a side that follows the strategy does
//! not follow it there.

mod every;

use ahash::AHashSet;
use millbrain_core::any::AnyOracle;
use millbrain_core::game::value::{Oracle, known_end};
use millbrain_core::game::{Game, Searchable, Verdict};
use millbrain_core::threads::{self, NoThreads};
use millbrain_core::variant::Ruleset;
use millbrain_tablebase::pack::{Contents, Said};
use millbrain_tablebase::{Endings, PositionOf, Sector};
use millbrain_tablebase::{NoEndings, with_endings};
use rayon::prelude::*;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// A position up to symmetry: its sector and slot.
type Key = (Sector, u64);

/// The number of positions that are visited together.
const TOGETHER: usize = 4_096;
/// The cost of any position beside its replies. Of 1 to 120 this gave the smallest pack of `morris`.
const BASE: u64 = 30;
/// The cost of a centistone by which a side is behind where it has to answer: it makes the draw harder to hold when all
/// stones are placed. Of 1000 games from the start 2 were lost with this, 6 without such a cost, 18 with four times as
/// much.
const BEHIND: u64 = 4;
/// The resolution of the ranks of candidates by answers per cost, in parts of a whole.
const SCALE: u64 = 4_096;

/// A ply of a strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// The ply of its moves, from 1.
    pub ply: usize,
    /// Positions with a move to choose.
    pub to_answer: usize,
    /// Positions that the moves lead to.
    pub chosen: usize,
}

/// The strategies found.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Strategies {
    /// The plies of the strategies, of one side after the other.
    pub levels: Vec<Level>,
    /// Won positions after replies to held ones from which a move leads to a held draw.
    pub won: usize,
    /// Whether every reply that preserves the value has been answered, however long the game.
    pub closed: bool,
    /// Whether every reply at all has been answered, so that [`check`](super::proof::check) needs no tables.
    pub proves: bool,
}

/// The reason why there is no strategy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StrategyError {
    /// There are no tables for these rules, so positions have no numbers.
    #[error(transparent)]
    Rules(#[from] NoEndings),
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// Tables are missing.
    #[error("the tables do not know {0}, expected those of 'tablebase build --sectors game'")]
    Unknown(String),
}

/// The extent of strategies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The plies before they begin: in all positions that have the value of the start after these plies.
    pub plies: usize,
    /// The last ply of the game for which they have a move.
    pub last: usize,
    /// Whether strategies also answer the replies that give the draw away, and so prove it. This is for those that hold
    /// a draw and are closed before the last ply.
    pub every_reply: bool,
}

/// Adds strategies to a pack, one for each side that can preserve the value of the start.
///
/// # Errors
/// Fails for rules without tables. Fails if tables do not know a position, or threads cannot be started.
pub fn add_strategies(
    contents: &mut Contents,
    rules: &Ruleset,
    truth: &AnyOracle,
    extent: Extent,
    threads: usize,
) -> Result<Strategies, StrategyError> {
    let pool = threads::pool(threads)?;
    with_endings!(
        *rules,
        |endings| {
            let truth = truth.of().ok_or_else(|| StrategyError::Unknown("these rules".to_string()))?;
            pool.install(|| Search { endings, truth }.add_all(contents, extent))
        },
        else Err(NoEndings.into())
    )
}

/// Lists of numbers, one after the other.
struct Lists {
    /// The beginning of each, and the end of all.
    begin: Vec<usize>,
    items: Vec<u32>,
}

impl Lists {
    /// Builds `count` lists from pairs of a list's number and an item.
    fn of(count: usize, mut pairs: Vec<(u32, u32)>) -> Lists {
        pairs.par_sort_unstable();
        let mut begin = vec![0; count + 1];
        pairs.iter().for_each(|&(list, _)| begin[list as usize + 1] += 1);
        for i in 0..count {
            begin[i + 1] += begin[i];
        }
        Lists { begin, items: pairs.into_iter().map(|(_, item)| item).collect() }
    }

    fn list(&self, number: usize) -> &[u32] {
        &self.items[self.begin[number]..self.begin[number + 1]]
    }
}

/// The targets of moves.
struct Links {
    /// The positions, each once, in order.
    to: Vec<Key>,
    /// The numbers of the positions from which moves lead to each.
    from: Lists,
}

impl Links {
    fn of(mut links: Vec<(Key, u32)>) -> Links {
        links.par_sort_unstable();
        let (mut to, mut begin) = (Vec::new(), Vec::new());
        for (i, (key, _)) in links.iter().enumerate() {
            if to.last() != Some(key) {
                to.push(*key);
                begin.push(i);
            }
        }
        begin.push(links.len());
        Links { to, from: Lists { begin, items: links.into_iter().map(|(_, from)| from).collect() } }
    }
}

/// Positions of a ply with a move to choose, and better ones that the opponent might grant.
#[derive(Default)]
struct Asked {
    to_answer: Vec<Key>,
    better: Vec<Key>,
}

struct Search<E: Endings<Game: Searchable>> {
    endings: E,
    truth: Arc<dyn Oracle<PositionOf<E>>>,
}

impl<E: Endings<Game: Searchable>> Search<E> {
    fn position(&self, key: Key) -> PositionOf<E> {
        // Keys are made of positions.
        self.endings.position(key.0, key.1).unwrap_or_else(|| self.endings.game().start())
    }

    /// Returns the key of a position, or `None` if it is in no table.
    fn key(&self, pos: &PositionOf<E>) -> Option<Key> {
        self.endings.sector(pos).map(|sector| (sector, self.endings.slot(pos)))
    }

    /// Returns the undecided positions that moves lead to, each once.
    fn next(&self, key: Key) -> Vec<Key> {
        let game = self.endings.game();
        let pos = self.position(key);
        let mut next = Vec::new();
        game.generate(&pos, |mv| {
            let after = game.play(&pos, mv);
            if known_end(&game, &after).is_none() {
                next.extend(self.key(&after));
            }
        });
        next.sort_unstable();
        next.dedup();
        next
    }

    /// Returns the targets of moves from these positions.
    fn links(&self, from: &[Key]) -> Links {
        let numbered = |chunk: usize| {
            let begin = chunk * TOGETHER;
            let keys = &from[begin..from.len().min(begin + TOGETHER)];
            let links =
                (begin..).zip(keys).flat_map(|(i, &key)| self.next(key).into_iter().map(move |to| (to, i as u32)));
            links.collect::<Vec<_>>()
        };
        let chunks: Vec<Vec<_>> = (0..from.len().div_ceil(TOGETHER)).into_par_iter().map(numbered).collect();
        Links::of(chunks.concat())
    }

    /// Returns the results for the side to move. Keys in order are looked up fastest.
    fn verdicts(&self, keys: &[Key]) -> Result<Vec<Verdict>, StrategyError> {
        let verdict = |&key: &Key| {
            let pos = self.position(key);
            self.truth.verdict(&pos).ok_or_else(|| StrategyError::Unknown(self.endings.fen(&pos)))
        };
        keys.par_iter().with_min_len(TOGETHER).map(verdict).collect()
    }

    /// Returns the positions one ply on that the side that has moved to `held` must answer, and the better ones.
    /// Positions that have been answered before are left out.
    fn asked(&self, held: &[Key], value: Verdict, answered: &AHashSet<Key>) -> Result<Asked, StrategyError> {
        let mut keys = self.links(held).to;
        keys.retain(|key| !answered.contains(key));
        let verdicts = self.verdicts(&keys)?;
        let mut asked = Asked::default();
        for (key, verdict) in keys.into_iter().zip(verdicts) {
            if verdict == value {
                asked.to_answer.push(key);
            } else if verdict == Verdict::Win {
                asked.better.push(key);
            }
        }
        Ok(asked)
    }

    fn add_all(&self, contents: &mut Contents, extent: Extent) -> Result<Strategies, StrategyError> {
        let Extent { plies, last, every_reply } = extent;
        let start = self.endings.game().start();
        let mut begun = vec![self.key(&start).ok_or_else(|| StrategyError::Unknown(self.endings.fen(&start)))?];
        let mut value = self.verdicts(&begun)?[0];
        for _ in 0..plies {
            value = value.opposite();
            begun = self.links(&begun).to;
        }
        let mut verdicts = self.verdicts(&begun)?.into_iter();
        begun.retain(|_| verdicts.next() == Some(value));
        let (mut levels, mut closed) = (Vec::new(), true);
        // Moving stones may return to earlier positions, and the sides change places. If both have a strategy, it is to
        // draw.
        let mut answered = AHashSet::new();
        // The side to move has a value to preserve, or the other side has, or both.
        if value != Verdict::Loss {
            let asked = Asked { to_answer: begun.clone(), better: Vec::new() };
            closed &= self.add(contents, asked, value, plies + 1..=last, &mut answered, &mut levels)?;
        }
        if value != Verdict::Win {
            contents.extend(Said::Held, &begun);
            let value = value.opposite();
            let asked = self.asked(&begun, value, &answered)?;
            closed &= self.add(contents, asked, value, plies + 2..=last, &mut answered, &mut levels)?;
        }
        let proves = every_reply && closed && value == Verdict::Draw;
        if proves {
            self.answer_every_reply(contents)?;
        }
        let won = self.spoilt(contents)?;
        log::info!("strategy: {} won positions that a held draw would spoil", won.len());
        contents.extend(Said::Won, &won);
        Ok(Strategies { levels, won: won.len(), closed, proves })
    }

    /// Returns the won positions after replies to held ones from which a move leads to a held draw. The draw may be of
    /// any ply and side: moving stones return to earlier positions, and the sides change places.
    fn spoilt(&self, contents: &Contents) -> Result<Vec<Key>, StrategyError> {
        let mut held: Vec<Key> = contents.keys(Said::Held).collect();
        let mut won = self.links(&held).to;
        let mut verdicts = self.verdicts(&won)?.into_iter();
        won.retain(|_| verdicts.next() == Some(Verdict::Win));
        let mut verdicts = self.verdicts(&held)?.into_iter();
        held.retain(|_| verdicts.next() == Some(Verdict::Draw));
        let drawn: AHashSet<Key> = held.into_iter().collect();
        let is_spoilt = |&key: &Key| self.next(key).iter().any(|to| drawn.contains(to));
        Ok(won.into_par_iter().with_min_len(TOGETHER).filter(is_spoilt).collect())
    }

    /// Adds the strategy of a side that preserves this value, for moves of these plies and positions not answered
    /// before. Returns whether that answers everything.
    fn add(
        &self,
        contents: &mut Contents,
        mut asked: Asked,
        value: Verdict,
        plies: RangeInclusive<usize>,
        answered: &mut AHashSet<Key>,
        levels: &mut Vec<Level>,
    ) -> Result<bool, StrategyError> {
        for ply in plies.step_by(2) {
            if asked.to_answer.is_empty() {
                break;
            }
            answered.extend(asked.to_answer.iter().chain(&asked.better).copied());
            let held = self.cover(&asked, value, answered)?;
            let level = Level { ply, to_answer: asked.to_answer.len(), chosen: held.len() };
            log::info!("strategy: {level:?}");
            levels.push(level);
            contents.extend(Said::Held, &held);
            asked = self.asked(&held, value, answered)?;
        }
        Ok(asked.to_answer.is_empty())
    }

    /// Returns few positions that answer all the given ones, in order.
    fn cover(&self, asked: &Asked, value: Verdict, answered_before: &AHashSet<Key>) -> Result<Vec<Key>, StrategyError> {
        let count = asked.to_answer.len();
        let links = self.links(&[&asked.to_answer[..], &asked.better].concat());
        let verdicts = self.verdicts(&links.to)?;
        let answers = |i: usize| links.from.list(i).iter().map(|&from| from as usize).filter(move |&from| from < count);
        let candidates: Vec<usize> =
            (0..links.to.len()).filter(|&i| verdicts[i] == value.opposite() && answers(i).next().is_some()).collect();
        let keys: Vec<Key> = candidates.iter().map(|&i| links.to[i]).collect();
        let replies = self.replies(&keys, value, answered_before)?;
        let cost = |&i: &usize| BASE + (links.from.list(i).len() - answers(i).count()) as u64;
        let costs: Vec<u64> = candidates.iter().map(cost).collect();
        Ok(choose(&links, count, &candidates, &costs, &replies))
    }

    /// Returns the replies after which a side has to preserve this value.
    fn replies(&self, candidates: &[Key], value: Verdict, answered: &AHashSet<Key>) -> Result<Replies, StrategyError> {
        let links = self.links(candidates);
        let mut open =
            links.to.iter().enumerate().filter(|(_, key)| !answered.contains(*key)).map(|(i, _)| i).collect::<Vec<_>>();
        let verdicts = self.verdicts(&open.iter().map(|&i| links.to[i]).collect::<Vec<_>>())?;
        let mut verdicts = verdicts.into_iter();
        open.retain(|_| verdicts.next() == Some(value));
        Ok(self.to_answer(&links, &open, candidates.len()))
    }

    /// Returns the replies to the candidates that have to be answered, by their numbers.
    fn to_answer(&self, links: &Links, open: &[usize], candidates: usize) -> Replies {
        let pairs = (0..).zip(open).flat_map(|(number, &i)| links.from.list(i).iter().map(move |&from| (from, number)));
        let cost = |&i: &usize| {
            let behind = -self.endings.game().evaluate(&self.position(links.to[i]));
            1 + BEHIND * u64::from(behind.max(0).unsigned_abs())
        };
        Replies {
            costs: open.par_iter().with_min_len(TOGETHER).map(cost).collect(),
            of: Lists::of(candidates, pairs.collect()),
        }
    }
}

/// The replies by numbers, for each of some positions.
struct Replies {
    /// The cost of having to answer each.
    costs: Vec<u64>,
    of: Lists,
}

/// Chooses few candidates that answer the first `count` positions from which there are links. The greedy rule takes the
/// candidate that answers most for the least cost: its own, and that of the replies that have to be answered after it.
/// Returns them in order.
fn choose(links: &Links, count: usize, candidates: &[usize], costs: &[u64], replies: &Replies) -> Vec<Key> {
    let answers = |i: usize| links.from.list(i).iter().map(|&from| from as usize).filter(move |&from| from < count);
    let (mut answered, mut is_asked) = (vec![false; count], vec![false; replies.costs.len()]);
    let rank = |answered: &[bool], is_asked: &[bool], candidate: usize| {
        let i = candidates[candidate];
        let new = answers(i).filter(|&from| !answered[from]).count() as u64;
        let asked = replies.of.list(candidate).iter().map(|&reply| reply as usize).filter(|&reply| !is_asked[reply]);
        let asked: u64 = asked.map(|reply| replies.costs[reply]).sum();
        if new == 0 { 0 } else { (SCALE * new / (costs[candidate] + asked)).max(1) as usize }
    };
    let mut ranked: Vec<Vec<u32>> = Vec::new();
    let put = |ranked: &mut Vec<Vec<u32>>, rank: usize, candidate: usize| {
        if ranked.len() <= rank {
            ranked.resize(rank + 1, Vec::new());
        }
        ranked[rank].push(candidate as u32);
    };
    for candidate in 0..candidates.len() {
        put(&mut ranked, rank(&answered, &is_asked, candidate), candidate);
    }
    let mut held = Vec::new();
    // Answered positions lower a rank, so that the highest is the first that is still true.
    for expected in (1..ranked.len()).rev() {
        let mut next = 0;
        while let Some(&candidate) = ranked[expected].get(next) {
            next += 1;
            let candidate = candidate as usize;
            match rank(&answered, &is_asked, candidate) {
                0 => {}
                now if now >= expected => {
                    held.push(candidates[candidate]);
                    answers(candidates[candidate]).for_each(|from| answered[from] = true);
                    replies.of.list(candidate).iter().for_each(|&reply| is_asked[reply as usize] = true);
                }
                now => put(&mut ranked, now, candidate),
            }
        }
    }
    let mut held: Vec<Key> = held.into_iter().map(|i| links.to[i]).collect();
    held.sort_unstable();
    held
}

#[cfg(test)]
mod tests {
    use super::super::proof::proof;
    use super::*;
    use crate::code::Codes;
    use crate::tests::solve_in_memory;
    use millbrain_core::game::Side;
    use millbrain_core::game::value::Value;
    use millbrain_core::morris::{FLYING, NEVER, SLIDES};
    use millbrain_core::variant::Variant;
    use millbrain_tablebase::MorrisEndings;
    use millbrain_tablebase::pack::Pack;
    use std::collections::{HashMap, HashSet};

    /// A whole game in memory.
    struct Solved {
        endings: MorrisEndings,
        codes: HashMap<Sector, Codes>,
    }

    impl Oracle<PositionOf<MorrisEndings>> for Solved {
        fn verdict(&self, pos: &PositionOf<MorrisEndings>) -> Option<Verdict> {
            self.value(pos).map(Value::verdict)
        }

        fn value(&self, pos: &PositionOf<MorrisEndings>) -> Option<Value> {
            let codes = self.codes.get(&self.endings.sector(pos)?)?;
            Some(codes.value(self.endings.slot(pos) as usize))
        }
    }

    /// Returns a whole game, solved.
    fn solved(switches: u8, stones: u8) -> Search<MorrisEndings> {
        let endings = MorrisEndings::new(switches, stones).with_placing(true);
        let codes = solve_in_memory(&endings, &[endings.start().expect("a start")]);
        Search { endings, truth: Arc::new(Solved { endings, codes }) }
    }

    fn to(plies: usize, last: usize) -> Extent {
        Extent { plies, last, every_reply: false }
    }

    fn strategies(search: &Search<MorrisEndings>, plies: usize, last: usize) -> Contents {
        let mut contents = Contents::new(Variant::Morris.rules());
        search.add_all(&mut contents, to(plies, last)).expect("known");
        contents
    }

    /// Follows the strategies, with every reply, from each position with the value of the start after `plies` plies. It
    /// stops at `last`, when all stones are placed. Returns the number of positions of either side that were to be
    /// answered, and the value they preserve.
    fn follow(search: &Search<MorrisEndings>, plies: usize, last: usize) -> Vec<(Verdict, usize)> {
        let contents = strategies(search, plies, last);
        let endings = search.endings;
        let start = endings.start().expect("a start");
        let says = |said, key: Key| contents.has(said, key.0, key.1);
        let verdict = |key| search.verdicts(&[key]).expect("known")[0];

        let slot = endings.slot(&endings.game().start());
        let mut begun: HashSet<Key> = [(start, slot)].into();
        let mut value = verdict((start, slot));
        for _ in 0..plies {
            value = value.opposite();
            begun = begun.iter().flat_map(|&key| search.next(key)).collect();
        }
        begun.retain(|&key| verdict(key) == value);
        let mut sides = Vec::new();
        let replies = |held: &[Key]| held.iter().flat_map(|&key| search.next(key)).collect::<Vec<_>>();
        for (is_to_move, keeps) in [(true, value), (false, value.opposite())] {
            if keeps == Verdict::Loss {
                continue;
            }
            let begun: Vec<Key> = begun.iter().copied().collect();
            let mut open = if is_to_move { begun } else { replies(&begun) };
            let mut seen = HashSet::new();
            while let Some(key) = open.pop() {
                if !endings.in_hand(key.0) || !seen.insert(key) {
                    continue;
                }
                let held: Vec<Key> = search.next(key).into_iter().filter(|&next| says(Said::Held, next)).collect();
                let value = verdict(key);
                if value == keeps {
                    let (game, pos) = (endings.game(), search.position(key));
                    let wins_at_once =
                        || game.moves(&pos).iter().any(|&mv| known_end(&game, &game.play(&pos, mv)).is_some());
                    assert!(!held.is_empty() || wins_at_once(), "{} has no answer", endings.fen(&pos));
                    assert!(held.iter().all(|&next| verdict(next) == keeps.opposite()));
                    open.extend(replies(&held));
                } else {
                    assert_eq!(value, Verdict::Win, "nobody comes to worse");
                    let is_spoilt = held.iter().any(|&next| verdict(next) != Verdict::Loss);
                    assert!(!is_spoilt || says(Said::Won, key), "a win is given away");
                    seen.remove(&key);
                }
            }
            sides.push((keeps, seen.len()));
        }
        sides
    }

    #[test]
    fn without_tables_of_the_start_there_is_no_strategy() {
        let oracle: Arc<dyn Oracle<PositionOf<MorrisEndings>>> =
            Arc::new(Solved { endings: MorrisEndings::new(FLYING, 3), codes: HashMap::new() });
        let reported = |rules: Ruleset| {
            let truth = AnyOracle::new(&MorrisEndings::new(FLYING, 3).game(), Arc::clone(&oracle));
            add_strategies(&mut Contents::new(rules), &rules, &truth, to(0, 18), 1).expect_err("refused").to_string()
        };
        for variant in [Variant::Morris, Variant::Smess] {
            assert!(reported(variant.rules()).starts_with("the tables do not know "), "{variant:?}");
        }
    }

    /// Both games are small enough to be solved here; one is drawn, the other won.
    #[test]
    fn whoever_follows_a_strategy_has_an_answer_to_every_reply() {
        use Verdict::{Draw, Win};
        for (switches, values) in [(NEVER, &[Draw, Draw][..]), (FLYING, &[Win])] {
            let search = solved(switches, 3);
            for plies in 0..3 {
                let (kept, answered): (Vec<Verdict>, Vec<usize>) = follow(&search, plies, 6).into_iter().unzip();
                assert_eq!(kept, values, "after {plies} plies");
                assert!(answered.iter().all(|&count| count > 10), "{answered:?}");
            }
        }
    }

    /// However long the game, every reply to a held position that preserves the draw leads to a position with a move to
    /// another.
    #[test]
    fn a_strategy_closes_where_its_positions_come_back() {
        for switches in [NEVER, NEVER | SLIDES] {
            closes(&solved(switches, 3));
        }
    }

    fn closes(search: &Search<MorrisEndings>) {
        let verdict = |key| search.verdicts(&[key]).expect("known")[0];
        let mut contents = Contents::new(Variant::Morris.rules());
        assert!(!search.add_all(&mut contents, to(0, 8)).expect("known").closed);
        let mut contents = Contents::new(Variant::Morris.rules());
        let found = search.add_all(&mut contents, to(0, 1_000)).expect("known");
        assert!(found.closed && found.levels.iter().all(|level| level.ply < 1_000));
        let held: HashSet<Key> = contents.keys(Said::Held).collect();
        let mut moving = 0;
        for &key in &held {
            assert_eq!(verdict(key), Verdict::Draw);
            for reply in search.next(key) {
                match verdict(reply) {
                    Verdict::Draw => assert!(search.next(reply).iter().any(|to| held.contains(to)), "no answer"),
                    value => assert_eq!(value, Verdict::Win, "nobody comes to worse"),
                }
            }
            moving += usize::from(!search.endings.in_hand(key.0));
        }
        assert!(moving > 10, "{moving}");
    }

    #[test]
    fn an_answer_to_every_reply_is_a_proof() {
        let search = solved(NEVER, 3);
        let made = |every_reply| {
            let mut contents = Contents::new(Variant::Morris.rules());
            let found = search.add_all(&mut contents, Extent { every_reply, ..to(0, 1_000) }).expect("known");
            assert!(found.closed && found.proves == every_reply);
            contents
        };
        let proved = |contents: &Contents| {
            let bytes = contents.bytes(&search.endings);
            proof(&Pack::read(bytes.into(), &search.endings).expect("a pack"))
        };
        let kept = proved(&made(false));
        assert!(kept.open > 0 && kept.example.is_some() && !kept.is_closed(), "{kept:?}");
        let all = made(true);
        let closed = proved(&all);
        assert!(closed.is_closed() && closed.held > kept.held && closed.replies > closed.held, "{closed:?}");
        assert_eq!(closed.sides, [Side::White, Side::Black]);

        let held: Vec<Key> = all.keys(Said::Held).collect();
        let verdicts = search.verdicts(&held).expect("known");
        assert!(verdicts.iter().all(|&verdict| verdict != Verdict::Win), "nobody holds what is lost");
        assert!(verdicts.contains(&Verdict::Loss), "wins are kept, too");
        let without = |left_out: Key| {
            let mut contents = Contents::new(Variant::Morris.rules());
            contents.extend(Said::Held, &held.iter().copied().filter(|&key| key != left_out).collect::<Vec<_>>());
            proved(&contents)
        };
        let start = search.endings.game().start();
        assert_eq!(without(search.key(&start).expect("a sector")).sides, [Side::White]);
        let missed = held.iter().step_by(held.len() / 20).filter(|&&key| without(key).open > 0).count();
        assert!(missed >= 10, "{missed} of 20");
    }

    /// Moving stones return to earlier positions, and the sides change places. A win that was not to be answered at its
    /// ply may lead to a draw that is held at another.
    #[test]
    fn a_win_is_not_given_away_for_a_draw_that_is_held_elsewhere() {
        let search = solved(NEVER, 3);
        let verdict = |key| search.verdicts(&[key]).expect("known")[0];
        for last in [6, 10, 16] {
            let contents = strategies(&search, 0, last);
            let says = |said, key: Key| contents.has(said, key.0, key.1);
            let replies: HashSet<Key> = contents.keys(Said::Held).flat_map(|key| search.next(key)).collect();
            let is_spoilt = |&key: &Key| {
                let mut held = search.next(key).into_iter().filter(|&next| says(Said::Held, next));
                verdict(key) == Verdict::Win && held.any(|next| verdict(next) != Verdict::Loss)
            };
            let spoilt: HashSet<Key> = replies.into_iter().filter(is_spoilt).collect();
            assert!(!spoilt.is_empty(), "to ply {last}");
            assert_eq!(contents.keys(Said::Won).collect::<HashSet<_>>(), spoilt, "to ply {last}");
        }
    }
}
