//! Facts that explain why a move is bad, each proved by the rules or by a search of all moves.

use millbrain_core::any::AnyRules;
use millbrain_core::force::Forced;
use millbrain_core::game::value::Known;
use millbrain_core::game::{Reason, Side, Verdict};
use millbrain_core::layout::{Layout, MoveParts};
use millbrain_core::message::{Message, Value};
use millbrain_core::texts::Language;
use serde::Serialize;

/// The most positions of one proof.
const NODES: u32 = 30_000;
/// The least gain in centistones that counts: a stone, or the least piece.
const STONE: i32 = 100;
/// The most plies after a move that a proof looks at.
const PLIES: u32 = 5;

/// The kind of a fact.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// The better move wins at once.
    WinsAtOnce,
    /// The opponent wins at once.
    AllowsWinAtOnce,
    /// The opponent leaves the side without a move.
    AllowsLock,
    /// The opponent captures the Brain.
    AllowsBrain,
    /// The move gives up a win.
    GaveUpWin,
    /// The move turns a draw into a loss.
    GaveUpDraw,
    /// The better move wins; the value of the played one is unknown.
    MissedWin,
    /// The opponent wins; the value of the position before is unknown.
    AllowsWin,
    /// The better move loses later.
    HastensLoss,
    /// The better move closes a mill and captures.
    MissedMill,
    /// The better move captures, and gains by it.
    MissedTake,
    /// The better move promotes.
    MissedPromotion,
    /// The opponent closes a mill and captures.
    AllowsMill,
    /// The opponent captures, and gains by it.
    AllowsTake,
    /// The opponent promotes.
    AllowsPromotion,
    /// The better move has a double mill, whatever the opponent replies.
    MissedDoubleMill,
    /// The opponent gets a double mill that cannot be stopped.
    AllowsDoubleMill,
    /// The better move threatens two mills, of which the opponent cannot stop both.
    MissedFork,
    /// The opponent threatens two mills, which cannot both be stopped.
    AllowsFork,
    /// The better move gains a stone by force.
    MissedStone,
    /// The opponent gains a stone by force.
    AllowsStone,
    /// The better move gains two stones by force.
    MissedTwoStones,
    /// The opponent gains two stones by force.
    AllowsTwoStones,
    /// The better move gains material by force.
    MissedMaterial,
    /// The opponent gains material by force.
    AllowsMaterial,
    /// The move opens a mill, and the opponent can keep it open.
    OpensMill,
    /// The better move stops a mill, which the opponent can close now.
    LeavesMill,
    /// The better move threatens a mill.
    MissedThreat,
    /// The Brain has fewer safe squares.
    BrainSquares,
    /// The own stones have fewer free neighbouring points.
    FreePoints,
    /// The opponent's stones have more free neighbouring points.
    FreePointsOfOpponent,
    /// The point has fewer neighbours than the one of the better move.
    Neighbours,
    /// The side has fewer moves next.
    Moves,
    /// The opponent has more moves.
    MovesOfOpponent,
}

/// A fact about a move, compared with a better one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fact {
    /// Its kind.
    pub kind: Kind,
    /// The better move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub better: Option<String>,
    /// The reply of the opponent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// Plies to the end, counted from the position in question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// A number of moves, points or squares, after the played move if both are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// The same after the better move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead: Option<u32>,
    /// The mills, each by the names of its points.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mills: Vec<Vec<String>>,
    /// The point of a piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<String>,
}

/// Counts the pieces of both sides, those in hand included.
pub fn material(game: &dyn AnyRules) -> u32 {
    game.pieces().len() as u32 + game.hands().map_or(0, |hands| hands.iter().sum())
}

/// Returns the capturing moves, in the order of the move generator.
pub fn takes(game: &dyn AnyRules) -> impl Iterator<Item = String> + '_ {
    let before = material(game);
    game.moves().into_iter().filter(move |mv| after(game, mv).is_some_and(|after| material(&*after) < before))
}

/// Returns the position after a move, or `None` if it is not legal.
fn after(game: &dyn AnyRules, mv: &str) -> Option<Box<dyn AnyRules>> {
    let mut game = game.copy();
    game.push(mv).ok().map(|_| game)
}

impl Fact {
    fn new(kind: Kind) -> Fact {
        Fact {
            kind,
            better: None,
            reply: None,
            plies: None,
            count: None,
            instead: None,
            mills: Vec::new(),
            point: None,
        }
    }

    /// Returns the strongest facts about a move, two at most, given a better one. `values` are the known values of the
    /// positions before and after it, for the side that moves.
    pub fn all(game: &dyn AnyRules, played: &str, better: &str, values: [Option<Known>; 2]) -> Vec<Fact> {
        let Some(pair) = Pair::new(game, played, better) else { return Vec::new() };
        if let Some(end) = pair.end() {
            return vec![end];
        }
        let tactics = if game.has_captures() { pair.tactics() } else { None };
        let result = pair.result(values);
        if result.is_none() && tactics.is_none() {
            return pair.position().into_iter().collect();
        }
        result.into_iter().chain(tactics).collect()
    }

    /// Returns the key of its text.
    fn text(&self) -> String {
        let kind = serde_json::to_value(self.kind).ok();
        let name = kind.as_ref().and_then(|name| name.as_str()).unwrap_or_default();
        let mut text = String::from("fact.");
        for letter in name.chars() {
            if letter.is_ascii_uppercase() {
                text.push('-');
            }
            text.push(letter.to_ascii_lowercase());
        }
        if self.plies.is_some() && matches!(self.kind, Kind::GaveUpWin | Kind::GaveUpDraw) {
            text.push_str("-in");
        }
        text
    }

    /// Returns the fact as a sentence in a language.
    pub fn sentence(&self, language: Language) -> String {
        let text = self.text();
        let Some((id, _)) = language.entry(&text) else { return String::new() };
        let mill = |place: usize| self.mills.get(place).map(|points| points.join("-"));
        let texts = [
            ("better", self.better.clone()),
            ("reply", self.reply.clone()),
            ("mill", mill(0)),
            ("other", mill(1)),
            ("point", self.point.clone()),
        ];
        let numbers = [("n", self.plies.or(self.count)), ("m", self.instead)];
        let texts = texts.into_iter().filter_map(|(name, text)| Some((name, Value::from(text?))));
        let numbers = numbers.into_iter().filter_map(|(name, number)| Some((name, Value::from(number?))));
        Message { id, values: texts.chain(numbers).collect() }.in_language(language)
    }
}

/// A set of points or lines of the board: a bit for each index. Boards have fewer than 64 of both.
type Set = u64;

/// Returns the set of one point or line.
const fn bit(index: usize) -> Set {
    if index < 64 { 1 << index } else { 0 }
}

/// Returns the set of these points or lines.
fn set(indices: impl Iterator<Item = usize>) -> Set {
    indices.fold(0, |set, index| set | bit(index))
}

/// Returns the indices in a set.
fn indices(set: Set) -> impl Iterator<Item = usize> {
    (0..64).filter(move |&index| set & bit(index) != 0)
}

/// Returns the first index in a set as a set.
const fn first(set: Set) -> Set {
    set & set.wrapping_neg()
}

/// Returns the points with pieces of a side, or of both.
fn occupied(game: &dyn AnyRules, side: Option<Side>) -> Set {
    let pieces = game.pieces();
    set(pieces.iter().filter(|piece| side.is_none_or(|side| side == piece.side)).map(|piece| piece.point))
}

/// A capture.
struct Capture {
    parts: MoveParts,
    /// The mills that it closes.
    mills: Set,
}

/// A played move and a better one.
struct Pair<'a> {
    game: &'a dyn AnyRules,
    layout: Layout,
    played: MoveParts,
    better: MoveParts,
    after_played: Box<dyn AnyRules>,
    after_better: Box<dyn AnyRules>,
}

impl<'a> Pair<'a> {
    fn new(game: &'a dyn AnyRules, played: &str, better: &str) -> Option<Pair<'a>> {
        let (after_played, after_better) = (after(game, played)?, after(game, better)?);
        let (played, better) = (game.parts_of(played).ok()?, game.parts_of(better).ok()?);
        (played != better).then(|| Pair { game, layout: game.layout(), played, better, after_played, after_better })
    }

    fn is_morris(&self) -> bool {
        !self.layout.squares
    }

    /// Returns a fact that names the better move.
    fn fact(&self, kind: Kind) -> Fact {
        Fact { better: Some(self.better.text.clone()), ..Fact::new(kind) }
    }

    fn named(&self, point: usize) -> Option<String> {
        self.layout.points.get(point).map(|point| point.name.clone())
    }

    fn mills(&self, lines: Set) -> Vec<Vec<String>> {
        let lines = indices(lines).filter_map(|line| self.layout.lines.get(line));
        lines.map(|line| line.iter().filter_map(|&point| self.named(point)).collect()).collect()
    }

    /// Returns the lines through a point of which every point is in a set.
    fn lines(&self, through: usize, within: Set) -> Set {
        let lines = self.layout.lines.iter().enumerate();
        let is_within = |line: &[usize]| line.contains(&through) && line.iter().all(|&point| within & bit(point) != 0);
        set(lines.filter(|(_, line)| is_within(line)).map(|(index, _)| index))
    }

    /// Returns the captures of the side to move.
    fn captures(&self, game: &dyn AnyRules) -> Vec<Capture> {
        let side = game.side();
        let (own, enemies) = (occupied(game, Some(side)), occupied(game, Some(side.other())));
        let moves = game.move_parts().into_iter();
        let captures = moves.filter(|parts| !parts.taken.is_empty() || enemies & bit(parts.to) != 0);
        let closed = |parts: &MoveParts| {
            let left = parts.from.map_or(0, bit);
            self.lines(parts.to, own & !left | bit(parts.to))
        };
        captures.map(|parts| Capture { mills: closed(&parts), parts }).collect()
    }

    /// Returns a reply that wins at once, and the reason of the end.
    fn winning_reply(&self, game: &dyn AnyRules) -> Option<(String, Reason)> {
        game.moves().into_iter().find_map(|reply| {
            let ending = after(game, &reply)?.ending()?;
            (ending.verdict == Verdict::Loss).then_some((reply, ending.reason))
        })
    }

    /// Returns the fact about the end of the game within two plies.
    fn end(&self) -> Option<Fact> {
        if self.after_better.ending().is_some_and(|ending| ending.verdict == Verdict::Loss) {
            return Some(self.fact(Kind::WinsAtOnce));
        }
        let (reply, reason) = self.winning_reply(&*self.after_played)?;
        if self.winning_reply(&*self.after_better).is_some() {
            return None;
        }
        let kind = match reason {
            Reason::NoMoves => Kind::AllowsLock,
            Reason::Rule("brain-captured") => Kind::AllowsBrain,
            _ => Kind::AllowsWinAtOnce,
        };
        Some(Fact { reply: Some(reply), ..self.fact(kind) })
    }

    /// Returns the fact about the results that are known.
    fn result(&self, values: [Option<Known>; 2]) -> Option<Fact> {
        let plies = values.map(|known| known.and_then(Known::plies));
        match values.map(|known| known.map(Known::verdict)) {
            [Some(Verdict::Win), Some(Verdict::Draw | Verdict::Loss)] => {
                Some(Fact { plies: plies[0], ..Fact::new(Kind::GaveUpWin) })
            }
            [Some(Verdict::Draw), Some(Verdict::Loss)] => Some(Fact { plies: plies[1], ..Fact::new(Kind::GaveUpDraw) }),
            [Some(Verdict::Win), None] => Some(Fact { plies: Some(plies[0]?), ..self.fact(Kind::MissedWin) }),
            [None, Some(Verdict::Loss)] => {
                Some(Fact { plies: Some(plies[1]?.saturating_sub(1)), ..Fact::new(Kind::AllowsWin) })
            }
            [Some(Verdict::Loss), Some(Verdict::Loss)] => {
                let hastens = plies[1]? < plies[0]?;
                hastens.then(|| Fact { plies: plies[1], ..self.fact(Kind::HastensLoss) })
            }
            _ => None,
        }
    }

    /// Returns whether a move of the game gains material with the last of these plies after it.
    fn gains(&self, after: &dyn AnyRules, least: i32, plies: u32) -> Forced<String> {
        let gained = -after.material() - self.game.material();
        after.force(least - gained, plies, NODES)
    }

    /// Returns the strongest fact about captures: the sooner, the stronger.
    fn tactics(&self) -> Option<Fact> {
        let one = (0..=PLIES).find_map(|plies| match plies % 2 {
            0 => self.missed(plies),
            _ => self.allowed(plies),
        });
        // Where both moves win or lose a stone, one of them may win or lose two.
        let two = || {
            (3..=PLIES).filter(|_| self.is_morris()).find_map(|plies| match plies % 2 {
                0 => self.missed_two(plies),
                _ => self.allowed_two(plies),
            })
        };
        one.or_else(two)
    }

    /// Returns the fact that the better move gains two stones with the last of these plies.
    fn missed_two(&self, plies: u32) -> Option<Fact> {
        let gains = |after: &dyn AnyRules| self.gains(after, 2 * STONE, plies);
        let is_missed = gains(&*self.after_better) == Forced::Yes(None) && gains(&*self.after_played) == Forced::No;
        is_missed.then(|| Fact { count: Some(plies / 2 + 1), ..self.fact(Kind::MissedTwoStones) })
    }

    /// Returns the fact that the opponent gains two stones with the last of these plies.
    fn allowed_two(&self, plies: u32) -> Option<Fact> {
        let gains = |after: &dyn AnyRules| after.force(2 * STONE, plies, NODES);
        let Forced::Yes(Some(reply)) = gains(&*self.after_played) else { return None };
        let count = Some(plies / 2 + 1);
        let fact = Fact { reply: Some(reply), count, ..self.fact(Kind::AllowsTwoStones) };
        (gains(&*self.after_better) == Forced::No).then_some(fact)
    }

    /// Returns a fact about a gain of the better move, with the last of these plies after it.
    fn missed(&self, plies: u32) -> Option<Fact> {
        let (played, better) = (&*self.after_played, &*self.after_better);
        if self.gains(better, STONE, plies) != Forced::Yes(None) || self.gains(played, STONE, plies) != Forced::No {
            return None;
        }
        if plies == 0 {
            let mine = self.captures(self.game).into_iter().find(|capture| capture.parts == self.better);
            let Some(Capture { mills, parts }) = mine else { return Some(self.fact(Kind::MissedPromotion)) };
            return Some(if self.is_morris() {
                Fact { mills: self.mills(mills), ..self.fact(Kind::MissedMill) }
            } else {
                Fact { point: self.named(parts.to), ..self.fact(Kind::MissedTake) }
            });
        }
        Some(match self.threat(&*better.passed(), plies == 2) {
            Threat::Double(mills) => Fact { mills, ..self.fact(Kind::MissedDoubleMill) },
            Threat::Two(mills) => Fact { mills, ..self.fact(Kind::MissedFork) },
            Threat::Other(kind, _) => Fact { count: Some(plies / 2 + 1), ..self.fact(kind) },
        })
    }

    /// Returns a fact about a gain of the opponent, with the last of these plies.
    fn allowed(&self, plies: u32) -> Option<Fact> {
        let (played, better) = (&*self.after_played, &*self.after_better);
        let Forced::Yes(Some(reply)) = played.force(STONE, plies, NODES) else { return None };
        if better.force(STONE, plies, NODES) != Forced::No {
            return None;
        }
        let next = after(played, &reply)?;
        let fact = |kind| Fact { reply: Some(reply.clone()), ..self.fact(kind) };
        if plies == 1 {
            let theirs = self.captures(played).into_iter().find(|capture| capture.parts.text == reply);
            let Some(Capture { mills, parts }) = theirs else { return Some(fact(Kind::AllowsPromotion)) };
            if !self.is_morris() {
                return Some(Fact { point: self.named(parts.to), ..fact(Kind::AllowsTake) });
            }
            let stays = self.closable(better);
            return (mills & stays == 0).then(|| Fact { mills: self.mills(mills), ..fact(Kind::AllowsMill) });
        }
        Some(match self.threat(&*next.passed(), plies == 3) {
            Threat::Double(mills) => Fact { mills, ..fact(Kind::AllowsDoubleMill) },
            Threat::Two(mills) => Fact { mills, ..fact(Kind::AllowsFork) },
            Threat::Other(_, kind) => Fact { count: Some(plies / 2 + 1), ..fact(kind) },
        })
    }

    /// Returns what the side to move threatens, if its gain follows `at_once`.
    fn threat(&self, game: &dyn AnyRules, at_once: bool) -> Threat {
        if !self.is_morris() {
            return Threat::Other(Kind::MissedMaterial, Kind::AllowsMaterial);
        }
        let captures = if at_once { self.captures(game) } else { Vec::new() };
        let own = occupied(game, Some(game.side()));
        for Capture { mills, parts } in &captures {
            // A stone that leaves a mill to close another one, and can come back.
            let left = parts.from.map_or(0, |from| self.lines(from, own));
            if left != 0 && *mills != 0 {
                return Threat::Double([self.mills(first(left)), self.mills(first(*mills))].concat());
            }
        }
        let mills = captures.iter().fold(0, |mills, capture| mills | capture.mills);
        let targets = set(captures.iter().map(|capture| capture.parts.to));
        if mills.count_ones() > 1 && targets.count_ones() > 1 {
            return Threat::Two(self.mills(mills).into_iter().take(2).collect());
        }
        Threat::Other(Kind::MissedStone, Kind::AllowsStone)
    }

    /// Returns a fact about the position on the board, which may be a weaker reason.
    fn position(&self) -> Option<Fact> {
        if self.is_morris() {
            let mills = self.opened_mill().or_else(|| self.left_mill()).or_else(|| self.missed_threat());
            let points = || self.free_points(2).or_else(|| self.neighbours()).or_else(|| self.free_points(1));
            return mills.or_else(points);
        }
        self.brain_squares().or_else(|| self.mobility())
    }

    /// Returns the own mill that the played move opens, if the opponent can occupy the point.
    fn opened_mill(&self) -> Option<Fact> {
        let side = Some(self.game.side());
        let from = self.played.from?;
        let opened = self.lines(from, occupied(self.game, side) & occupied(&*self.after_better, side));
        let replies = self.after_played.move_parts();
        let reply = replies.into_iter().find(|reply| reply.to == from)?.text;
        let fact = Fact { reply: Some(reply), mills: self.mills(opened), ..self.fact(Kind::OpensMill) };
        (opened != 0).then_some(fact)
    }

    /// Returns the mills that the side to move can close with a capture.
    fn closable(&self, game: &dyn AnyRules) -> Set {
        self.captures(game).iter().fold(0, |mills, capture| mills | capture.mills)
    }

    /// Returns a mill that the opponent can close, and could not after the better move.
    fn left_mill(&self) -> Option<Fact> {
        let stays = self.closable(&*self.after_better);
        for Capture { mills, parts } in self.captures(&*self.after_played) {
            if mills & !stays != 0 {
                let mills = self.mills(first(mills & !stays));
                return Some(Fact { reply: Some(parts.text), mills, ..self.fact(Kind::LeavesMill) });
            }
        }
        None
    }

    /// Returns the mill that the better move threatens, if the played one threatens none.
    fn missed_threat(&self) -> Option<Fact> {
        if !self.captures(&*self.after_played.passed()).is_empty() {
            return None;
        }
        let threatened = self.captures(&*self.after_better.passed()).into_iter().next()?;
        let mills = self.mills(threatened.mills);
        Some(Fact { mills, ..self.fact(Kind::MissedThreat) })
    }

    /// Returns the neighbours of a point.
    fn neighbouring(&self, point: usize) -> Set {
        let joined = self.layout.steps.iter().filter(|step| step.contains(&point));
        set(joined.map(|&[a, b]| if a == point { b } else { a }))
    }

    /// Counts the free points next to the stones of a side.
    fn free(&self, game: &dyn AnyRules, side: Side) -> u32 {
        let own = indices(occupied(game, Some(side)));
        let next = own.fold(0, |next, point| next | self.neighbouring(point));
        (next & !occupied(game, None)).count_ones()
    }

    /// Returns the side whose count differs more to the worse, if by `least`.
    fn compared(&self, own: [u32; 2], theirs: [u32; 2], kinds: [Kind; 2], least: u32) -> Option<Fact> {
        let (lost, given) = (own[1].saturating_sub(own[0]), theirs[0].saturating_sub(theirs[1]));
        let (kind, [count, instead], by) =
            if lost >= given { (kinds[0], own, lost) } else { (kinds[1], theirs, given) };
        let fact = Fact { count: Some(count), instead: Some(instead), ..self.fact(kind) };
        (by >= least).then_some(fact)
    }

    fn free_points(&self, least: u32) -> Option<Fact> {
        let side = self.game.side();
        let both = |side| [self.free(&*self.after_played, side), self.free(&*self.after_better, side)];
        let kinds = [Kind::FreePoints, Kind::FreePointsOfOpponent];
        self.compared(both(side), both(side.other()), kinds, least)
    }

    /// Returns that the point of a placement has fewer neighbours.
    fn neighbours(&self) -> Option<Fact> {
        if self.played.from.is_some() || self.better.from.is_some() {
            return None;
        }
        let count = |parts: &MoveParts| self.neighbouring(parts.to).count_ones();
        let own = [count(&self.played), count(&self.better)];
        let fact = self.compared(own, [0, 0], [Kind::Neighbours, Kind::Neighbours], 1)?;
        Some(Fact { point: self.named(self.played.to), ..fact })
    }

    /// Returns that the own Brain has fewer safe squares: those where it is not captured next.
    fn brain_squares(&self) -> Option<Fact> {
        let safe = |reached: &dyn AnyRules| -> Option<u32> {
            let own = reached.passed();
            let brain = own.pieces().into_iter().find(|piece| piece.side == own.side() && piece.kind == 0)?;
            let moves = own.move_parts().into_iter().filter(|parts| parts.from == Some(brain.point));
            let is_safe = |parts: &MoveParts| {
                after(&*own, &parts.text).is_some_and(|next| next.move_parts().iter().all(|mv| mv.to != parts.to))
            };
            Some(moves.filter(is_safe).count() as u32)
        };
        let own = [safe(&*self.after_played)?, safe(&*self.after_better)?];
        self.compared(own, [0, 0], [Kind::BrainSquares, Kind::BrainSquares], 1)
    }

    fn mobility(&self) -> Option<Fact> {
        let count = |game: &dyn AnyRules| game.moves().len() as u32;
        let own = [count(&*self.after_played.passed()), count(&*self.after_better.passed())];
        let theirs = [count(&*self.after_played), count(&*self.after_better)];
        self.compared(own, theirs, [Kind::Moves, Kind::MovesOfOpponent], 2)
    }
}

/// A threat of a side.
enum Threat {
    /// A stone can leave one mill and close another: both mills.
    Double(Vec<Vec<String>>),
    /// Two mills can be closed on different points.
    Two(Vec<Vec<String>>),
    /// Another gain, with its kinds if it is missed and if it is allowed.
    Other(Kind, Kind),
}
