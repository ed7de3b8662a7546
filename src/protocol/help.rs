//! Texts of the commands `help`, `license` and `compiler`.

/// The commands on one screen.
pub const HELP: &str = "\
Commands (protocol.md describes them in full):
  uci                                    identify and list the options
  isready                                answer readyok
  setoption name NAME [value VALUE]      set an option
  ucinewgame                             start a new game: clear the table
  position startpos|fen FEN [moves M..]  set up a position
  go [searchmoves M..] [ponder] [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N]
     [depth N] [nodes N] [mate N] [movetime MS] [infinite] [perft N]
  stop, ponderhit, quit                  end the search; start its clock; exit
  debug on|off, register                 report waiting commands; not needed
  d                                      show the board and details of the position
  eval, moves                            show the evaluation; list the legal moves
  probe                                  values of the position and its moves in the tables
  perft N, bench [DEPTH]                 count leaves; measure speed
  random, flip                           a random legal move; swap the sides
  rules [LANGUAGE]                       the rules of the current variant, in a language such as de
  license, compiler, help                about this program";

/// The licence in two lines.
pub const LICENSE: &str = "\
millbrain is free software under the MIT licence or the Apache licence 2.0, at your choice.
It comes without any warranty.";

/// Describes the build of this binary.
pub fn compiler() -> String {
    let features: Vec<&str> = [
        ("popcnt", cfg!(target_feature = "popcnt")),
        ("bmi1", cfg!(target_feature = "bmi1")),
        ("bmi2", cfg!(target_feature = "bmi2")),
        ("avx2", cfg!(target_feature = "avx2")),
    ]
    .into_iter()
    .filter_map(|(name, on)| on.then_some(name))
    .collect();
    format!(
        "millbrain {} for {} {}, {} build, processor features used: {}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
        if cfg!(debug_assertions) { "debug" } else { "release" },
        if features.is_empty() { "none beyond the baseline".to_string() } else { features.join(" ") }
    )
}
