//! A game for the tests.

use super::record::{GameRecord, read_games};

const TEXT: &str = r#"
[Game "5"]
[Round "3"]
[White "A"]
[Black "B"]
[Result "1-0"]
[Variant "morris"]
[FEN "OO1/3/3/O1X3/1XX/3/3 b 0 0 0 1"]
[WhiteTimeControl "1+0.01"]
[BlackTimeControl "nodes 1000"]
[Termination "normal"]
[Reason "few-stones"]

1... e3e4 {book} 2. d7c5 {0ms} e4g4 {-M2/9 12ms} 3. c5a1xd3 {+M1/1 3ms} 1-0
"#;

/// Returns a game that A has won against B.
pub fn example() -> GameRecord {
    read_games(TEXT).expect("a game").remove(0)
}
