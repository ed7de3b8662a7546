import type { GameText, Ruleset, Score, Side } from "millbrain";
import type { ArchivedGame } from "../../engine/server.js";
import { rules as engineRules } from "../../engine/rules.js";
import { leastLoss } from "../../game/chances.js";
import { readMove } from "../../game/moves.js";
import { closing } from "../../game/played.js";
import { factsOf, treeOf } from "../../game/text.js";
import { judged, leaf, line, moves, ROOT, type Tree, update } from "../../game/tree.js";
import { firstVariant, ruleset } from "../../game/variants.js";
import { session } from "../session.svelte.js";

/** Opens a game of the server's archive with its annotation. Missing fields of the answer come from the record. */
export function openArchived(archived: ArchivedGame): void {
  const recorded: GameText | undefined = archived.record
    ? engineRules().readGames(archived.record, session.rules).games[0]
    : undefined;
  const rules = ruleset(recorded?.variant ?? archived.variant ?? firstVariant(), recorded?.options);
  const fen = archived.start ?? recorded?.fen;
  const plain = () => archived.moves?.map((move, i) => readMove(move, i + 1, rules)) ?? [];
  const played = recorded ? treeOf(recorded) : line(plain())[0];
  const tree = annotate(rules, played, archived.annotation);
  const at = leaf(tree, ROOT);
  const state = engineRules().state(rules, { fen, moves: moves(tree, at) });
  const names = { white: nameOf(archived, recorded, "white"), black: nameOf(archived, recorded, "black") };
  const saved = Date.parse(archived.date ?? "");
  const date = Number.isNaN(saved) ? {} : { saved };
  const facts = recorded && factsOf(recorded);
  session.open({ rules, fen, tree, at, names, facts, ...date, closed: closing(recorded?.end, at, state) });
}

const nameOf = (archived: ArchivedGame, recorded: GameText | undefined, side: Side): string =>
  archived[side] || recorded?.[side] || "–";

/**
 * Plies count from 1: an annotated ply is the move from one node of the line to the next. The server reports the loss
 * in hundredths of a stone; the page shows it in chances, derived from the scores before and after the move.
 */
function annotate(rules: Ruleset, tree: Tree, annotation: ArchivedGame["annotation"]): Tree {
  let result = tree;
  const plies = annotation?.plies ?? [];
  for (const [i, { ply, played, best, score, mark, pv }] of plies.entries()) {
    if (result.nodes[ply] === undefined) continue;
    const after = plies[i + 1]?.score;
    const points = (of: Score) => engineRules().expectedPoints(rules, of);
    const reported = score && after ? points(score) - (1 - points(after)) : leastLoss(mark);
    const loss = played !== undefined && played === best ? 0 : Math.max(0, reported);
    result = update(result, ply, { loss, ...(mark ? { mark } : {}) });
    if (score) {
      const nodes = annotation?.nodes ?? 0;
      result = judged(result, ply - 1, {
        score,
        depth: 0,
        nodes,
        ...(best ? { best } : {}),
        ...(pv ? { pv } : {}),
      });
    }
  }
  return result;
}
