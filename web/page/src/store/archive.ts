import type { ArchivedGame } from "../engine/server.js";
import { rules as engineRules } from "../engine/rules.js";
import { readRecords } from "../game/record.js";
import { chances } from "../game/chances.js";
import { judged, line, type Tree, update } from "../game/tree.js";
import type { GameText } from "../game/text.js";
import { readMove } from "../game/moves.js";
import { ruleset } from "../game/variants.js";
import { closing } from "./files.js";
import { session } from "./session.svelte.js";

/** Opens a game of the server's archive with its annotation. What is missing in the answer is taken from the record. */
export function openArchived(archived: ArchivedGame): void {
  const recorded: GameText | undefined = archived.record ? readRecords(archived.record)[0] : undefined;
  const rules = ruleset(recorded?.variant ?? archived.variant ?? "morris", recorded?.options);
  const moves =
    archived.moves?.map((move, i) => readMove(move, i + 1, rules)) ??
    recorded?.moves.map(({ move }) => move) ??
    [];
  const fen = archived.start ?? recorded?.fen;
  let [tree, at] = line(moves);
  recorded?.moves.forEach(({ said, time }, i) => {
    if (tree.nodes[i + 1])
      tree = update(tree, i + 1, { ...(said ? { said } : {}), ...(time === undefined ? {} : { time }) });
  });
  tree = annotate(tree, archived.annotation);
  const state = engineRules().state(rules, { fen, moves });
  session.open({ rules, fen, tree, at, closed: closing(recorded?.end, at, state) });
}

/**
 * Plies count from 1: the ply that is annotated is the move from one node of the line to the next. The server tells the
 * loss in hundredths of a stone; we tell it in chances, which the scores before and after the move give.
 */
function annotate(tree: Tree, annotation: ArchivedGame["annotation"]): Tree {
  let result = tree;
  const plies = annotation?.plies ?? [];
  for (const [i, { ply, played, best, score, mark, pv }] of plies.entries()) {
    if (result.nodes[ply] === undefined) continue;
    const after = plies[i + 1]?.score;
    const told = score && after ? chances(score) - (1 - chances(after)) : LEAST[mark || "none"];
    const loss = played !== undefined && played === best ? 0 : Math.max(0, told);
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

/** What a mark says of the loss, where there is no score after the move. */
const LEAST = { none: 0, "?!": 0.05, "?": 0.1, "??": 0.2 } as const;
