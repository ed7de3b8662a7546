//! Tables of servers beside local ones. A search asks once, for its position, the moves from there and the replies.

use super::asked::{Prepared, Reported, place, positions_ahead};
use super::server::{Answer, MAX_POSITIONS, Server};
use crate::endings::{Endings, PositionOf, Sector};
use ahash::AHashSet;
use millbrain_core::game::value::{Known, Oracle, Value, known_end};
use millbrain_core::game::{Game, Notation};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of values that are cached.
const KEPT: usize = 1 << 20;

/// The local tables and those of servers, probed in this order.
pub(super) struct Remote<E: Endings> {
    at_hand: Arc<dyn Oracle<PositionOf<E>>>,
    /// All endings that can have tables.
    endings: E,
    /// The largest number of stones or pieces that is probed.
    limit: u32,
    servers: Vec<Arc<Server>>,
    reported: Mutex<Reported>,
}

/// Returns what is known of the position after a move of this value; `None` if no move has it.
fn after(known: Known) -> Option<Known> {
    Some(match known {
        Known::Value(Value::Draw) => known,
        Known::Value(Value::Win(plies)) => Known::Value(Value::Loss(plies.checked_sub(1)?)),
        Known::Value(Value::Loss(plies)) => Known::Value(Value::Win(plies.checked_sub(1)?)),
        Known::Verdict(_) => known.before(),
    })
}

/// Returns whether two known values of a position are consistent.
fn agree(one: Known, other: Known) -> bool {
    one.verdict() == other.verdict() && (one == other || one.plies().is_none() || other.plies().is_none())
}

impl<E: Endings> Remote<E> {
    pub(super) fn new(
        at_hand: Arc<dyn Oracle<PositionOf<E>>>,
        endings: E,
        limit: u32,
        servers: Vec<Arc<Server>>,
    ) -> Remote<E> {
        Remote { at_hand, endings, limit, servers, reported: Mutex::new(Reported::new()) }
    }

    fn reported(&self) -> MutexGuard<'_, Reported> {
        self.reported.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self, pos: &PositionOf<E>) -> Option<(Sector, u64)> {
        place(&self.endings, self.limit, pos)
    }

    /// Returns the servers' answers for some positions and those after their moves, and the last fault if a position
    /// has no answer. `ask` gets the answers of a server.
    fn ask_servers(
        &self,
        positions: &[PositionOf<E>],
        ask: impl Fn(&Arc<Server>, &[String]) -> Result<Vec<Option<Answer>>, String>,
    ) -> (Reported, Option<String>) {
        let mut reported = Reported::new();
        let mut last_fault = None;
        let mut open: Vec<&PositionOf<E>> = positions.iter().collect();
        for server in &self.servers {
            if open.is_empty() {
                break;
            }
            let fens: Vec<String> = open.iter().map(|pos| fen_without_counters(&self.endings, pos)).collect();
            let answers = match ask(server, &fens) {
                Ok(answers) => answers,
                Err(fault) => {
                    last_fault = Some(fault);
                    continue;
                }
            };
            let mut of_server = Reported::new();
            let read = open.iter().zip(&answers).try_for_each(|(pos, answer)| {
                let Some(answer) = answer else { return Ok(()) };
                self.read(pos, answer, &mut of_server)
            });
            match read {
                Ok(()) => {
                    open = open
                        .into_iter()
                        .zip(answers)
                        .filter(|(_, answer)| answer.is_none())
                        .map(|(pos, _)| pos)
                        .collect();
                    for (place, known) in of_server {
                        reported.entry(place).or_insert(known);
                    }
                }
                Err(fault) => last_fault = Some(server.refuse(&fault)),
            }
        }
        (reported, last_fault.filter(|_| !open.is_empty()))
    }

    /// Returns the servers' answers for some positions while there is time, and caches them.
    fn ask_in_time(&self, positions: &[PositionOf<E>], wait: &dyn Fn() -> bool) -> Reported {
        let (reported, _) = self.ask_servers(positions, |server, fens| Ok(server.ask(fens, wait)));
        let mut kept = self.reported();
        if kept.len() > KEPT {
            kept.clear();
        }
        kept.extend(&reported);
        reported
    }

    /// Reads an answer for a position and its moves. The fault says how it contradicts the rules or an earlier answer.
    fn read(&self, pos: &PositionOf<E>, answer: &Answer, reported: &mut Reported) -> Result<(), String> {
        let game = self.endings.game();
        let mut tell = |pos: &PositionOf<E>, known: Known| {
            let before = match known_end(&game, pos) {
                Some(value) => Some(Known::Value(value)),
                None => self.place(pos).map(|place| *reported.entry(place).or_insert(known)),
            };
            match before.filter(|&before| !agree(before, known)) {
                Some(before) => Err(format!("{} is reported as a {known} and a {before}", self.endings.fen(pos))),
                None => Ok(()),
            }
        };
        tell(pos, answer.known)?;
        for (text, known) in &answer.moves {
            let mv = game.parse_move(text).filter(|&mv| game.is_legal(pos, mv));
            let mv = mv.ok_or_else(|| format!("{text:?} is no move in {}", self.endings.fen(pos)))?;
            if let Some(known) = known {
                let after = after(*known).ok_or_else(|| format!("{text:?} is reported as a {known}"))?;
                tell(&game.play(pos, mv), after)?;
            }
        }
        Ok(())
    }
}

/// Returns a FEN without counters: values depend on none, so equal positions are requested by equal text.
fn fen_without_counters<E: Endings>(endings: &E, pos: &PositionOf<E>) -> String {
    let fen = endings.fen(pos);
    let fields: Vec<&str> = fen.split(' ').collect();
    format!("{} 0 1", fields[..fields.len().saturating_sub(2)].join(" "))
}

impl<E: Endings> Oracle<PositionOf<E>> for Remote<E> {
    fn beneath(&self) -> Option<&dyn Oracle<PositionOf<E>>> {
        Some(&*self.at_hand)
    }

    fn ask(&self, pos: &PositionOf<E>, wait: &dyn Fn() -> bool) -> Option<Box<dyn Oracle<PositionOf<E>>>> {
        let mut positions = positions_ahead(&self.endings, self.limit, pos);
        let asked: Option<Arc<dyn Oracle<PositionOf<E>>>> = self.at_hand.ask(pos, wait).map(Arc::from);
        let known = asked.clone().unwrap_or_else(|| Arc::clone(&self.at_hand));
        // Servers are asked for distances where only results are at hand, but not where a slow source had to answer.
        let is_answered = |pos: &PositionOf<E>| {
            self.at_hand.value(pos).is_some() || asked.is_some() && known.verdict(pos) != self.at_hand.verdict(pos)
        };
        let mut reported = Reported::new();
        if !positions.iter().skip(1).all(is_answered) {
            positions.retain(|pos| !is_answered(pos) || self.at_hand.value(pos).is_some());
            // Positions beyond the limit of one request are not worth a second one.
            positions.truncate(MAX_POSITIONS);
            reported = self.ask_in_time(&positions, wait);
        }
        if reported.is_empty() && asked.is_none() {
            return None;
        }
        Some(Box::new(Prepared { known, endings: self.endings.clone(), reported }))
    }

    fn ask_all(
        &self,
        positions: &mut dyn Iterator<Item = PositionOf<E>>,
        wait: &dyn Fn() -> bool,
    ) -> Result<Option<Arc<dyn Oracle<PositionOf<E>>>>, String> {
        let positions: Vec<PositionOf<E>> = positions.collect();
        let asked = self.at_hand.ask_all(&mut positions.iter().copied(), wait)?;
        let known = asked.clone().unwrap_or_else(|| Arc::clone(&self.at_hand));
        let mut seen = AHashSet::new();
        let mut open = positions
            .into_iter()
            .filter(|pos| known.value(pos).is_none() && self.place(pos).is_some_and(|place| seen.insert(place)));
        let mut reported = Reported::new();
        loop {
            let question: Vec<PositionOf<E>> = open.by_ref().take(MAX_POSITIONS).collect();
            if question.is_empty() {
                if reported.is_empty() {
                    return Ok(asked);
                }
                return Ok(Some(Arc::new(Prepared { known, endings: self.endings.clone(), reported })));
            }
            let (answered, fault) = self.ask_servers(&question, |server, fens| server.ask_all(fens, wait));
            if let Some(fault) = fault {
                // The fault is reported here.
                self.servers.iter().for_each(|server| drop(server.new_fault()));
                return Err(fault);
            }
            reported.extend(answered);
        }
    }

    fn known(&self, pos: &PositionOf<E>) -> Option<Known> {
        let at_hand = self.at_hand.known(pos);
        if at_hand.is_some_and(|known| matches!(known, Known::Value(_))) {
            return at_hand;
        }
        let place = self.place(pos)?;
        let kept = self.reported().get(&place).copied();
        let reported = || self.ask_in_time(&[*pos], &|| true).get(&place).copied();
        kept.or_else(reported).or(at_hand)
    }

    fn new_faults(&self) -> Vec<String> {
        let mut faults = self.at_hand.new_faults();
        faults.extend(self.servers.iter().filter_map(|server| server.new_fault()));
        faults
    }
}
