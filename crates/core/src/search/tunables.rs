//! The parameters of the search, a line for each: name, default, range, and the step with which to tune it.
//!
//! Each is a function of its name: a constant, or with the feature `tune` the value last set. A new parameter needs
//! only a line here and its use in the search; options and lists are made from the lines. Depths and reductions are in
//! plies, margins in centistones (a stone is 100), shares and factors in percent.

#[cfg(feature = "tune")]
pub use tuned::Tunables;

macro_rules! tunables {
    ($($name:ident, $default:literal, $least:literal..=$most:literal, $step:literal;)*) => {
        $(
            const _: () = assert!(
                0 <= $least && $least <= $default && $default <= $most && 0 < $step,
                concat!(stringify!($name), " is out of its range")
            );

            #[cfg(not(feature = "tune"))]
            #[inline(always)]
            pub(super) const fn $name() -> i32 {
                $default
            }

            #[cfg(feature = "tune")]
            #[inline(always)]
            pub(super) fn $name() -> i32 {
                tuned::in_force::$name.load(std::sync::atomic::Ordering::Relaxed)
            }
        )*

        #[cfg(feature = "tune")]
        mod tuned {
            use super::Tunable;
            use std::sync::atomic::Ordering::Relaxed;

            /// The values that the functions return, in every search of the process.
            #[expect(non_upper_case_globals, reason = "a parameter has one name")]
            pub(super) mod in_force {
                use std::sync::atomic::AtomicI32;

                $(pub static $name: AtomicI32 = AtomicI32::new($default);)*
            }

            /// A value of each parameter of the search.
            #[derive(Clone, PartialEq, Eq, Debug)]
            pub struct Tunables {
                $($name: i32,)*
            }

            impl Default for Tunables {
                fn default() -> Tunables {
                    Tunables { $($name: $default,)* }
                }
            }

            impl Tunables {
                /// Sets these values for every later search in this process.
                pub fn put_in_force(&self) {
                    $(in_force::$name.store(self.$name, Relaxed);)*
                }
            }

            impl<S: AsRef<Tunables> + AsMut<Tunables>> Tunable<S> {
                /// Returns all parameters.
                pub fn all() -> Vec<Tunable<S>> {
                    vec![$(Tunable {
                        name: stringify!($name),
                        default: $default,
                        range: [$least, $most],
                        step: $step,
                        get: |holder| holder.as_ref().$name as u64,
                        set: |holder, value| holder.as_mut().$name = value as i32,
                    }),*]
                }
            }
        }
    };
}

tunables! {
    // Reverse futility is tried up to this depth, with this margin per ply.
    reverse_futility_depth, 6, 0..=12, 1;
    reverse_futility_margin, 55, 10..=150, 8;

    // Razoring is tried up to this depth, with this margin and a further one per ply.
    razoring_depth, 2, 0..=6, 1;
    razoring_margin, 120, 0..=400, 20;
    razoring_margin_per_ply, 120, 0..=400, 20;

    // The null move is tried from this depth on, reduced by this much and by a further ply per this many plies of
    // depth.
    null_move_depth, 3, 1..=8, 1;
    null_move_reduction, 3, 1..=6, 1;
    null_move_depth_per_reduction, 4, 2..=10, 1;

    // From this depth on a node without a hash move is reduced by a ply.
    internal_reduction_depth, 4, 2..=12, 1;

    // A single reply is extended by a ply from this depth on.
    single_reply_depth, 3, 1..=12, 1;

    // A singular hash move is extended by a ply from this depth on. Its hash entry may be shallower than the node by
    // the slack. All other moves must score below it by the margin per ply of depth.
    singular_depth, 6, 4..=12, 1;
    singular_depth_slack, 3, 0..=6, 1;
    singular_margin_per_ply, 2, 0..=10, 1;

    // Late quiet moves are skipped up to this depth, after this many moves plus the square of the depth.
    late_move_depth, 4, 0..=10, 1;
    late_moves, 4, 0..=16, 1;

    // Futile quiet moves are skipped up to this depth, with this margin and a further one per ply.
    futility_depth, 3, 0..=10, 1;
    futility_margin, 70, 0..=250, 12;
    futility_margin_per_ply, 60, 0..=200, 10;

    // Late moves are reduced from this depth on: by the base, in hundredths of a ply, and by the product of the
    // logarithms of depth and move number over the divisor, in hundredths. Tactical ones are reduced only after this
    // many moves. A history value of the last size is worth a ply.
    reduction_depth, 3, 2..=6, 1;
    reduction_base, 60, 0..=200, 10;
    reduction_divisor, 210, 100..=400, 15;
    tactical_reduction_from, 4, 1..=16, 1;
    history_per_ply, 6_000, 1_000..=16_000, 700;

    // A cutoff earns a quiet move these bonuses by the square of the depth and by the depth, up to the last. The move
    // that refuted the same move elsewhere scores this much more.
    history_bonus_by_square, 16, 0..=64, 3;
    history_bonus_by_depth, 32, 0..=256, 12;
    history_bonus_most, 1_600, 400..=4_000, 180;
    countermove, 3_000, 0..=16_000, 700;

    // Plies of quiescence in which all moves are tried against the threat of an immediate loss.
    evasion_plies, 3, 0..=8, 1;

    // Moves that another thread searches are deferred from this depth on: that pays only where the subtree is large.
    deferring_depth, 5, 1..=12, 1;

    // From this depth on the first window of an iteration has this width to either side of the last score. It grows by
    // this factor until the score falls inside, and high scores reduce the depth by at most this much.
    aspiration_depth, 4, 2..=10, 1;
    aspiration_window, 24, 8..=100, 5;
    aspiration_growth, 200, 125..=400, 15;
    aspiration_reduction, 3, 0..=6, 1;

    // The number of moves assumed to be left if the time control does not include it.
    time_moves_left, 28, 10..=60, 2;
    // A move gets its part of the clock and this share of the increment, and may stretch it by this factor. It takes no
    // more than this share of the clock, or of the rest for the last move before the control.
    time_increment, 75, 0..=100, 5;
    time_stretch, 400, 100..=1_000, 40;
    time_ceiling, 40, 10..=90, 4;
    time_last_ceiling, 90, 50..=95, 3;
    // Another iteration begins only within this share of the optimum. The share is multiplied by the patience with a
    // best move that has stayed the same for this many iterations. It is also multiplied by what its share of the nodes
    // leaves of the effort.
    time_iteration, 60, 20..=120, 5;
    time_patience_0, 150, 50..=250, 10;
    time_patience_1, 110, 50..=250, 10;
    time_patience_2, 90, 50..=250, 10;
    time_patience_3, 75, 25..=200, 8;
    time_patience_4, 65, 25..=200, 8;
    time_effort, 135, 100..=250, 8;
    time_effort_of_best, 70, 0..=100, 5;

    // The depth of the search before a proof is tried: its hash entries order the moves of the proof. For this many
    // plies from the root moves are ordered by evaluation (deeper, the subtrees are not worth it). Near the root each
    // thread has an order of its own.
    proof_depth, 16, 1..=30, 1;
    proof_evaluated_plies, 14, 0..=30, 1;
    proof_parting_plies, 6, 0..=20, 1;
}

/// A parameter of the search, whose value is stored in an `S`.
#[cfg(feature = "tune")]
pub struct Tunable<S> {
    /// Its name.
    pub name: &'static str,
    /// Its value in a build without the feature `tune`.
    pub default: u64,
    /// Its least and its largest value.
    pub range: [u64; 2],
    /// The step with which tuning varies it.
    pub step: u64,
    /// Reads its value.
    pub get: fn(&S) -> u64,
    /// Writes a value, one in the range.
    pub set: fn(&mut S, u64),
}

/// Prints the line that SPSA tools read: `name, int, default, least, most, step, rate`. The rate is the one in common
/// use.
#[cfg(feature = "tune")]
impl<S> std::fmt::Display for Tunable<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tunable { name, default, range: [least, most], step, .. } = self;
        write!(f, "{name}, int, {default}, {least}, {most}, {step}, 0.002")
    }
}
