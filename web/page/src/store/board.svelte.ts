import type { GameEnd, Layout, MoveParts, Position, Ruleset, Side, State } from "millbrain";
import { rules as engineRules } from "../engine/rules.js";
import { type Closed } from "../game/played.js";
import { ofRules } from "../game/text.js";
import {
  emptyTree,
  judged,
  leaf,
  moves,
  nodeOf,
  path,
  ROOT,
  type Judgement,
  type Tree,
  type TreeNode,
} from "../game/tree.js";

/** The game on the board as it is: its moves, and what the rules say of it. */
export class GameOnBoard {
  rules = $state.raw<Ruleset>({ variant: "morris" });
  /** The first position, where it is not the start of the game. */
  fen = $state.raw<string | undefined>();
  tree = $state.raw<Tree>(emptyTree());
  at = $state(ROOT);

  closed = $state.raw<Closed | undefined>();

  /** Rules and position as text. It stays the same when only what is known of the moves changes. */
  readonly place = $derived(JSON.stringify([this.rules, this.fen ?? null, moves(this.tree, this.at)]));
  readonly state: State = $derived(this.#stateAt(this.place));
  /** The side that makes the first move. */
  readonly first: Side = $derived(engineRules().state(this.rules, { fen: this.fen }).side);
  readonly layout: Layout = $derived(engineRules().layout(this.rules));
  readonly end: GameEnd | null = $derived(
    this.closed?.node === this.at ? this.closed : this.state.ending && ofRules(this.state.ending),
  );
  readonly legal: readonly MoveParts[] = $derived(this.end ? [] : this.state.moves);

  /** Where the line went on that one came back from. */
  protected forward = new Map<number, number>();

  #stateAt(place: string): State {
    const [rules, fen, played] = JSON.parse(place) as [Ruleset, string | null, string[]];
    return engineRules().state(rules, { fen: fen ?? undefined, moves: played });
  }

  get position(): Position {
    return { fen: this.fen, moves: moves(this.tree, this.at) };
  }

  /** A move by these rules taken apart; nothing for what is none. */
  parts(move: string): MoveParts | undefined {
    return engineRules().parts(this.rules, move) ?? undefined;
  }

  get node(): TreeNode {
    return nodeOf(this.tree, this.at);
  }

  protected stateOf(id: number): State {
    return engineRules().state(this.rules, { fen: this.fen, moves: moves(this.tree, id) });
  }

  next(id: number): number | undefined {
    const { children } = nodeOf(this.tree, id);
    const forward = this.forward.get(id);
    return forward !== undefined && children.includes(forward) ? forward : children[0];
  }

  /** The end of the line through the position on the board. */
  lineEnd(): number {
    const { closed, tree, at } = this;
    return closed && path(tree, closed.node).some((node) => node.id === at) ? closed.node : leaf(tree, at);
  }

  /** Notes what is known of a position, unless something better is known. */
  judge(id: number, line: Judgement): void {
    this.tree = judged(this.tree, id, line);
  }
}
