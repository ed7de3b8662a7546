//! What a family of games of mills defines: its board and its rules.

use super::board::{Board, PointSet, bit, points};
use super::game::Mills;
use super::position::Position;
use crate::game::fen::Faults;
use crate::game::{DrawRules, Placed, Reason};
use crate::message::Message;
use crate::search::score::WdlModel;
use std::fmt::Debug;

/// A side has fewer than three stones on board and in hand.
pub const FEW_STONES: Reason = Reason::Rule("few-stones");
/// All points are taken.
pub const FULL_BOARD: Reason = Reason::Rule("full-board");
/// A mill has won.
pub const MILL: Reason = Reason::Rule("mill");

/// A side with fewer stones, those in hand included, has lost.
pub const MIN_STONES: u8 = 3;

/// The rule for removing when every enemy stone is in a mill.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Removal {
    /// Any stone may be removed.
    IfAll,
    /// No stone is removed.
    Never,
}

impl Removal {
    /// The names of all values.
    pub(crate) const NAMES: &[&str] = &[Removal::IfAll.name(), Removal::Never.name()];

    /// Returns the name used by the protocol and by tablebases.
    pub const fn name(self) -> &'static str {
        match self {
            Removal::IfAll => "if-all",
            Removal::Never => "never",
        }
    }

    /// Returns the value with one of the [names](Removal::NAMES).
    pub(crate) fn named(name: &str) -> Removal {
        if name == Removal::Never.name() { Removal::Never } else { Removal::IfAll }
    }
}

/// The rule for removing when a move closes several mills at once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Removals {
    /// One stone is removed.
    One,
    /// One stone is removed for each mill, one after the other.
    EachMill,
}

impl Removals {
    /// The names of all values.
    pub(crate) const NAMES: &[&str] = &[Removals::One.name(), Removals::EachMill.name()];

    /// Returns the name used by the protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Removals::One => "one",
            Removals::EachMill => "each mill",
        }
    }

    /// Returns the value with one of the [names](Removals::NAMES).
    pub(crate) fn named(name: &str) -> Removals {
        if name == Removals::EachMill.name() { Removals::EachMill } else { Removals::One }
    }
}

/// The rules of a game of mills on its board. The methods about sets of points have defaults for any board; a family
/// overrides them where its board allows a faster way.
pub trait MillRules: Copy + Eq + Debug + Send + Sync + 'static {
    /// The id of the family.
    const ID: &'static str;
    /// Examples of each form of a move, for a message.
    const EXAMPLES: &'static [&'static str];

    /// The same rules in a form that is compiled once for the family, for code that need not be fast.
    type Plain: MillRules;

    /// Returns these rules in that form.
    fn plain(&self) -> Self::Plain;

    /// Returns the board.
    fn board(&self) -> &'static Board;

    /// Returns the stones of each side.
    fn stones(&self) -> u8;

    /// Returns whether a side with three stones and none in hand moves to any free point.
    fn flying(&self) -> bool;

    /// Returns whether nothing is removed when all enemy stones are in mills.
    fn never(&self) -> bool;

    /// Returns whether a side with stones in hand may slide one.
    fn slides_while_placing(&self) -> bool;

    /// Returns whether a side can form a mill on each line only once.
    fn once_per_line(&self) -> bool;

    /// Returns whether a move that closes several mills removes a stone for each.
    fn each_mill(&self) -> bool;

    /// Returns whether the first mill wins; mills then remove nothing.
    fn first_mill_wins(&self) -> bool {
        false
    }

    /// Returns the draw rules.
    fn draw_rules(&self) -> DrawRules;

    /// Returns the names of the sentences about the board, in [`crate::texts`].
    fn board_sentences(&self) -> &'static [&'static str];

    /// Returns how scores turn into results.
    fn wdl_model(&self) -> WdlModel;

    /// Returns the evaluation beside the stones, by its name, from the side to move.
    fn positional(game: &Mills<Self>, pos: &Position) -> (&'static str, i32);

    /// Reads a position text.
    ///
    /// # Errors
    /// Fails with all faults of the text and of the position it describes.
    fn read(game: &Mills<Self>, text: &str) -> Result<Placed<Position>, Faults> {
        game.read_fen(text)
    }

    /// Returns every point of the board.
    #[inline(always)]
    fn points(&self) -> PointSet {
        self.board().all()
    }

    /// Returns the points, taken or not, that would complete a line whose other points belong to `own`.
    #[inline(always)]
    fn closers(&self, own: PointSet) -> PointSet {
        let missing = self.board().lines.iter().map(|&line| line & !own);
        // A full line is closed again by any of its points.
        let open = missing.filter(|missing| missing.count_ones() == 1).fold(0, |set, missing| set | missing);
        open | self.in_mills(own)
    }

    /// Returns the stones of `own` in a full line.
    #[inline(always)]
    fn in_mills(&self, own: PointSet) -> PointSet {
        self.board().lines.iter().filter(|&&line| line & !own == 0).fold(0, |set, &line| set | line)
    }

    /// Returns the points next to a set.
    #[inline(always)]
    fn neighbours(&self, set: PointSet) -> PointSet {
        points(set).fold(0, |near, p| near | self.neighbours_of(p))
    }

    /// Returns the neighbours of a point.
    #[inline(always)]
    fn neighbours_of(&self, p: u32) -> PointSet {
        self.board().neighbours[p as usize]
    }

    /// Returns the points with a line whose other two points are one stone of `own` and one point of `free`.
    #[inline(always)]
    fn pairing_points(&self, own: PointSet, free: PointSet) -> PointSet {
        let pairs = |line: PointSet| {
            let around = move |&p: &u32| {
                let others = line & !bit(p);
                (others & own).count_ones() == 1 && (others & free).count_ones() == 1
            };
            points(line).filter(around).fold(0, |set, p| set | bit(p))
        };
        self.board().lines.iter().fold(0, |set, &line| set | pairs(line))
    }

    /// Returns the worth of a point for move ordering, by its neighbours; that of no point is 0.
    #[inline(always)]
    fn crossing(&self, p: u32) -> i32 {
        self.board().neighbours.get(p as usize).map_or(0, |near| 40 * near.count_ones() as i32)
    }

    /// Returns the smallest image of both sides' stones under the symmetries, packed as `own | opp << 24`, and the
    /// symmetry that leads there.
    fn canonical(&self, stones: u64) -> (u64, u8) {
        let board = self.board();
        let [own, opp] = [stones, stones >> 24].map(|set| set as PointSet & board.all());
        let image = |s: usize| u64::from(board.image(s, own)) | u64::from(board.image(s, opp)) << 24;
        let images = (0..board.symmetries.len()).map(|s| (image(s), s as u8));
        images.min().unwrap_or((stones, 0))
    }

    /// Returns the image of a point under a symmetry.
    #[inline(always)]
    fn image_of(&self, symmetry: u8, p: u32) -> u32 {
        self.board().symmetries[usize::from(symmetry)][p as usize].into()
    }

    /// Returns the image of a set under a symmetry.
    #[inline(always)]
    fn image(&self, symmetry: u8, set: PointSet) -> PointSet {
        self.board().image(symmetry.into(), set)
    }

    /// Returns the inverse of a symmetry.
    #[inline(always)]
    fn inverse(&self, symmetry: u8) -> u8 {
        self.board().inverse(symmetry.into()) as u8
    }

    /// Counts the moves of a position that is not decided, where each mill removes one stone and mills are not limited
    /// to one for each line.
    #[inline(always)]
    fn count_moves(game: &Mills<Self>, pos: &Position) -> u64 {
        game.count_one_by_one(pos)
    }
}

/// Returns the sentences of the rules, by the names of [`crate::texts`].
pub(crate) fn sentences(rules: &impl MillRules) -> Vec<Message> {
    let takes = !rules.first_mill_wins();
    let mill = if rules.each_mill() { "morris.mill.each" } else { "morris.mill" };
    let protected = if rules.never() { "morris.removal.never" } else { "morris.removal.if-all" };
    let DrawRules { repetition, progress_limit } = rules.draw_rules();
    let before = [(true, "morris.placing"), (rules.slides_while_placing(), "morris.slides"), (true, "morris.moving")];
    let after = [
        (true, if rules.flying() { "morris.flying" } else { "morris.no-flying" }),
        (takes, mill),
        (takes, protected),
        (!takes, "morris.first-mill"),
        (rules.once_per_line() && takes, "morris.once-per-line"),
        (takes, "morris.loss"),
        (!takes, "morris.no-moves"),
        (usize::from(rules.stones()) * 2 >= rules.board().names.len(), "morris.full-board"),
        (repetition, "repetition-draw"),
    ];
    let chosen = before.into_iter().chain(after).filter(|(is_so, _)| *is_so).map(|(_, name)| name);
    let mut all = vec![Message::counted("morris.stones", rules.stones().into())];
    all.extend(rules.board_sentences().iter().copied().chain(chosen).map(Message::plain));
    all.extend((progress_limit > 0).then(|| Message::counted("morris.no-mill-draw", progress_limit.into())));
    all
}
