import type { ArchivedGame } from "../engine/server.js";
import { rules as engineRules } from "../engine/rules.js";
import { readRecords } from "../game/record.js";
import { line, type Tree, update } from "../game/tree.js";
import type { GameText } from "../game/text.js";
import { ruleset } from "../game/variants.js";
import { session } from "./session.svelte.js";

/** Opens a game of the server's archive with its annotation. What is missing in the answer is taken from the record. */
export function openArchived(archived: ArchivedGame): void {
  const recorded: GameText | undefined = archived.record ? readRecords(archived.record)[0] : undefined;
  const moves = archived.moves ?? recorded?.moves.map(({ move }) => move) ?? [];
  const rules = ruleset(recorded?.variant ?? archived.variant ?? "morris", recorded?.options);
  const given = archived.start ?? recorded?.fen;
  const fen = given === undefined || given === engineRules().state(rules).fen ? undefined : given;
  let [tree, at] = line(moves);
  recorded?.moves.forEach(({ said, time }, i) => {
    if (tree.nodes[i + 1])
      tree = update(tree, i + 1, { ...(said ? { said } : {}), ...(time === undefined ? {} : { time }) });
  });
  tree = annotate(tree, archived.annotation);
  const resigned = recorded?.resigned ? { node: at, side: recorded.resigned } : undefined;
  session.open({ rules, fen, tree, at, resigned });
}

/** Plies count from 1: the ply that is annotated is the move from one node of the line to the next. */
function annotate(tree: Tree, annotation: ArchivedGame["annotation"]): Tree {
  let result = tree;
  const plies = annotation?.plies ?? [];
  // Some count from 0; the first one tells.
  const shift = plies[0]?.ply === 0 ? 1 : 0;
  for (const { ply, best, score, loss, mark, pv } of plies) {
    const id = ply + shift;
    if (result.nodes[id] === undefined) continue;
    result = update(result, id, { ...(loss === undefined ? {} : { loss }), ...(mark ? { mark } : {}) });
    const before = id - 1;
    if (score) {
      const judgement = {
        score,
        depth: 0,
        nodes: annotation?.nodes ?? 0,
        ...(best ? { best } : {}),
        ...(pv ? { pv } : {}),
      };
      result = update(result, before, { judgement });
    }
  }
  return result;
}
