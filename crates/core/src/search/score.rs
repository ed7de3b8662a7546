//! Scores: centistones from the side to move, with the far ends of the range reserved for proved wins.

/// The score of a won game; a win `n` plies away is `MATE - n`.
pub const MATE: i32 = 32_000;
/// Scores beyond this are proved wins or losses.
pub const MATE_BOUND: i32 = MATE - 1_000;
/// The score of a position that a tablebase knows to be won, at an unknown distance; `n` plies away it is less by `n`.
pub const TABLEBASE_WIN: i32 = 30_000;
/// Scores beyond this are certain wins or losses, with or without a known distance.
pub const KNOWN_BOUND: i32 = TABLEBASE_WIN - 1_000;
/// Beyond every score.
pub const INFINITE: i32 = 32_500;
/// Largest absolute value of an evaluation.
pub const MAX_EVAL: i32 = 20_000;
/// The score of a draw.
pub const DRAW: i32 = 0;

/// Returns the score of a proved win on the mover's `ply`-th ply from the root.
pub const fn mate_in(ply: usize) -> i32 {
    MATE - ply as i32
}

/// Returns the score of a proved loss on that ply.
pub const fn mated_in(ply: usize) -> i32 {
    ply as i32 - MATE
}

/// Returns whether a score is a proved win or loss in a known number of plies.
pub const fn is_mate(score: i32) -> bool {
    score.abs() >= MATE_BOUND
}

/// Returns whether a score is a certain win or loss.
pub const fn is_known(score: i32) -> bool {
    score.abs() >= KNOWN_BOUND
}

/// Returns the distance to the end in the mover's own moves, negative when losing, or `None` for an ordinary score.
pub const fn mate_moves(score: i32) -> Option<i32> {
    if score >= MATE_BOUND {
        Some((MATE - score + 1) / 2)
    } else if score <= -MATE_BOUND {
        Some(-((MATE + score + 1) / 2))
    } else {
        None
    }
}

/// The map from scores to results of games between equals: a logistic model, with two numbers for each evaluation.
///
/// ```
/// use millbrain_core::search::score::WdlModel;
///
/// let model = WdlModel { margin: 150, spread: 90 };
/// assert_eq!(model.wdl(150), [500, 466, 34]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WdlModel {
    /// The lead in centistones with which a side wins one game in two, above 0.
    pub margin: i32,
    /// The further lead in centistones with which it wins about three in four, above 0.
    pub spread: i32,
}

impl Default for WdlModel {
    /// Returns the model of an evaluation without a fitted one.
    fn default() -> WdlModel {
        WdlModel { margin: 150, spread: 90 }
    }
}

impl WdlModel {
    /// Returns the chances to win, draw and lose in permille.
    pub fn wdl(self, score: i32) -> [u32; 3] {
        if score >= KNOWN_BOUND {
            return [1000, 0, 0];
        }
        if score <= -KNOWN_BOUND {
            return [0, 0, 1000];
        }
        let [win, loss] = [score, -score].map(|score| (1000.0 * self.win(score)).round() as u32);
        [win, 1000 - win - loss, loss]
    }

    /// Returns the chance to win with a score that is not certain, 0 to 1.
    pub fn win(self, score: i32) -> f64 {
        let WdlModel { margin, spread } = self;
        1.0 / (1.0 + (f64::from(margin - score) / f64::from(spread)).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_count_own_moves() {
        assert_eq!(mate_moves(mate_in(1)), Some(1));
        assert_eq!(mate_moves(mate_in(3)), Some(2));
        assert_eq!(mate_moves(mated_in(0)), Some(0));
        assert_eq!(mate_moves(mated_in(2)), Some(-1));
        assert_eq!(mate_moves(mated_in(4)), Some(-2));
        assert_eq!(mate_moves(MAX_EVAL), None);
    }

    #[test]
    fn certain_scores_are_reported_from_others() {
        for (score, mate, known) in [
            (MATE, true, true),
            (MATE_BOUND, true, true),
            (MATE_BOUND - 1, false, true),
            (TABLEBASE_WIN, false, true),
            (KNOWN_BOUND, false, true),
            (KNOWN_BOUND - 1, false, false),
            (MAX_EVAL, false, false),
            (DRAW, false, false),
        ] {
            assert_eq!((is_mate(score), is_mate(-score)), (mate, mate), "{score}");
            assert_eq!((is_known(score), is_known(-score)), (known, known), "{score}");
            assert_eq!(mate_moves(score).is_some(), mate, "{score}");
            assert_eq!(mate_moves(-score).is_some(), mate, "{score}");
        }
        assert_eq!((mate_in(7), mated_in(7)), (31_993, -31_993));
        assert_eq!((mate_moves(MATE_BOUND), mate_moves(-MATE_BOUND)), (Some(500), Some(-500)));
    }

    #[test]
    fn chances_follow_the_score() {
        let model = WdlModel { margin: 150, spread: 90 };
        assert_eq!(model.wdl(0), [159, 682, 159]);
        assert_eq!(model.wdl(150), [500, 466, 34]);
        assert_eq!(model.wdl(240), [731, 256, 13]);
        assert_eq!(model.wdl(-150), [34, 466, 500]);
        assert_eq!(model.wdl(KNOWN_BOUND), [1000, 0, 0]);
        assert_eq!(model.wdl(mated_in(3)), [0, 0, 1000]);
    }

    #[test]
    fn chances_add_up() {
        // With the least margin two chances of one half must not exceed the total.
        for model in [WdlModel::default(), WdlModel { margin: 1, spread: 1_000 }] {
            for score in (-MAX_EVAL..=MAX_EVAL).step_by(37).chain([MATE, -MATE, 0]) {
                assert_eq!(model.wdl(score).iter().sum::<u32>(), 1000);
            }
            let [win, _, loss] = model.wdl(0);
            assert!(win == loss && win <= 500);
        }
    }
}
