//! Games that have been built, summed up.

use super::{request, three_against_three};
use crate::build::build;
use millbrain_core::morris::Rules;
use millbrain_core::morris::rules::MORRIS;
use millbrain_core::variant::{Ruleset, Variant};
use millbrain_tablebase::Tally;
use millbrain_tablebase::summary::{First, Summary, summary};

/// With three stones a side the whole game takes seconds.
#[test]
fn the_first_moves_and_all_that_follows_are_summed_up() {
    let rules = Ruleset::Morris(Rules { stones: 3, ..MORRIS });
    let request = request("summary", "game");
    build(rules, &request, &(), &mut |_| Ok(())).expect("built");
    let Summary { ruleset, start, hands, sectors } = summary(&rules, &request.folder).expect("a summary");
    std::fs::remove_dir_all(&request.folder).expect("removed");
    assert_eq!(ruleset.to_string(), "morris flying=true removal=if-all diagonals=false");
    let start = start.expect("known");
    assert_eq!(start.fen, "3/3/3/6/3/3/3 w 3 3 0 1");
    // Corners and middles of the outer and the inner ring, of the middle ring each.
    let mut orbits: Vec<usize> = start.moves.iter().map(|first| first.ply.moves.len()).collect();
    orbits.sort_unstable();
    assert_eq!(orbits, [4, 4, 8, 8]);
    let [best, whole] =
        [serde_json::to_value(&start.moves[0].ply), serde_json::to_value(&start)].map(|json| json.expect("JSON"));
    assert_eq!([&best["value"], &best["plies"]], [&whole["value"], &whole["plies"]], "the best move first");
    for First { ply, replies } in &start.moves {
        assert_eq!(replies.iter().map(|reply| reply.moves.len()).sum::<usize>(), 23, "after {:?}", ply.moves);
    }
    assert_eq!(hands.iter().map(|hand| hand.stones).collect::<Vec<_>>(), [6, 5, 4, 3, 2, 1, 0]);
    let replies: usize = start.moves.iter().map(|first| first.replies.len()).sum();
    let counted: Vec<u64> = hands.iter().take(3).map(|hand| hand.tally.reduced.total()).collect();
    assert_eq!(counted, [1, 4, replies as u64]);
    let total = |tallies: Vec<&Tally>| tallies.iter().map(|tally| tally.unreduced.total()).sum::<u64>();
    assert_eq!(
        total(hands.iter().map(|hand| &hand.tally).collect()),
        total(sectors.iter().map(|s| &s.entry.tally).collect())
    );
    assert_eq!(hands.iter().map(|hand| hand.sectors as usize).sum::<usize>(), sectors.len());
    assert_eq!(hands[6].tally, sectors[0].entry.tally, "three stones against three");
}

#[test]
fn tables_without_stones_in_hand_tell_nothing_of_the_start() {
    let folder = three_against_three("summary-moving");
    let rules = Ruleset::Morris(MORRIS);
    let reported = summary(&rules, &folder).expect("a summary");
    assert_eq!((reported.start, reported.hands.len(), reported.sectors.len()), (None, 1, 1));
    let other = summary(&Variant::Mlyn.rules(), &folder).map(|_| ());
    assert!(other.is_err_and(|error| error.to_string().contains("flying")), "a folder of other rules");
    std::fs::remove_dir_all(folder).expect("removed");
}
