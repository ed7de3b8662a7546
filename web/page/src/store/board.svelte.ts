import type { GameEnd, Layout, MoveParts, Position, Ruleset, Side, State } from "millbrain";
import { click, type Pick } from "@millbrain/board/model";
import { rules as engineRules } from "../engine/rules.js";
import type { Clock } from "../game/clock.js";
import type { Clue } from "../game/facts.js";
import { type Closed } from "../game/played.js";
import { type Refusal, refusal } from "../game/refusal.js";
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
import { sideName, t } from "../i18n/index.svelte.js";

/** A game on the board with any players: its moves, the rules' view of it, and clicks. */
export abstract class GameOnBoard {
  /** Identifies the game. */
  key = $state("");
  rules = $state.raw<Ruleset>({ variant: "morris" });
  /** The first position, if it is not the start of the game. */
  fen = $state.raw<string | undefined>();
  tree = $state.raw<Tree>(emptyTree());
  at = $state(ROOT);

  closed = $state.raw<Closed | undefined>();

  pick = $state.raw<Pick>({});
  /** Why the last click had no effect. */
  refused = $state.raw<Refusal | undefined>();
  /** The first step of a hint; the second is the move itself. */
  clue = $state.raw<Clue | undefined>();
  hint = $state.raw<string | undefined>();
  /** The last move by the opponent, for screen readers. */
  spoken = $state.raw<{ move: string; side: Side } | undefined>();
  /** A note about the engine at this position. */
  notice = $state("");
  /** Whether the opponent is searching for a move. */
  thinking = $state(false);

  abstract readonly clock: Clock | undefined;
  /** Whether a human can move a piece now. */
  abstract readonly canMove: boolean;
  /** Whether Black is at the bottom. */
  abstract readonly isFlipped: boolean;

  /** Rules and position as text. It does not change with annotations of the moves. */
  readonly place = $derived(JSON.stringify([this.rules, this.fen ?? null, moves(this.tree, this.at)]));
  readonly state: State = $derived(this.#stateAt(this.place));
  /** The side that makes the first move. */
  readonly first: Side = $derived(engineRules().state(this.rules, { fen: this.fen }).side);
  readonly layout: Layout = $derived(engineRules().layout(this.rules));
  readonly end: GameEnd | null = $derived(
    this.closed?.node === this.at ? this.closed : this.state.ending && ofRules(this.state.ending),
  );
  readonly legal: readonly MoveParts[] = $derived(this.end ? [] : this.state.moves);

  /** The side of the user, if they play one. */
  abstract get own(): Side | undefined;
  abstract nameOf(side: Side): string;

  /** Returns additional text about a player. */
  noteOf(_side: Side): string {
    return "";
  }

  /** Returns the text about the side to move. */
  get turnText(): string {
    return t("toMove", { side: sideName(this.state.side) });
  }

  /** Plays a move by hand. */
  abstract play(move: string): void;

  /** Continuation of the line that the user stepped back from. */
  protected forward = new Map<number, number>();

  #stateAt(place: string): State {
    const [rules, fen, played] = JSON.parse(place) as [Ruleset, string | null, string[]];
    return engineRules().state(rules, { fen: fen ?? undefined, moves: played });
  }

  get position(): Position {
    return { fen: this.fen, moves: moves(this.tree, this.at) };
  }

  /** Returns the parts of a move under these rules; `undefined` for an invalid one. */
  parts(move: string): MoveParts | undefined {
    return engineRules().parts(this.rules, move) ?? undefined;
  }

  get node(): TreeNode {
    return nodeOf(this.tree, this.at);
  }

  /** Returns the state at a node of the tree. */
  stateOf(id: number): State {
    return engineRules().state(this.rules, { fen: this.fen, moves: moves(this.tree, id) });
  }

  next(id: number): number | undefined {
    const { children } = nodeOf(this.tree, id);
    const forward = this.forward.get(id);
    return forward !== undefined && children.includes(forward) ? forward : children[0];
  }

  /** Handles a click on a point of the board. */
  click(point: string): void {
    this.refused = undefined;
    if (!this.canMove) {
      const { side } = this.state;
      if (this.end === null) this.refused = { key: "refused.turn", point, side };
      return;
    }
    this.refused = refusal(this, point);
    // A mistaken click during a removal undoes nothing.
    if (this.refused && this.pick.to !== undefined) return;
    const clicked = click(this.legal, this.pick, point);
    if ("move" in clicked) this.play(clicked.move);
    else this.pick = clicked.pick;
  }

  cancel(): void {
    this.refused = undefined;
    this.pick = {};
    this.clue = undefined;
    this.hint = undefined;
  }

  /** Shows a position without playing on from it. */
  goto(id: number): void {
    if (this.tree.nodes[id] === undefined) return;
    for (const node of path(this.tree, this.at)) this.forward.set(node.parent, node.id);
    this.at = id;
    this.cancel();
  }

  /** Steps one move back or forward. */
  step(by: -1 | 1): void {
    const id = by < 0 ? this.node.parent : this.next(this.at);
    if (id !== undefined && id >= 0) this.goto(id);
  }

  toEnd(): void {
    this.goto(leaf(this.tree, this.at));
  }

  /** Returns the end of the line through the position on the board. */
  lineEnd(): number {
    const { closed, tree, at } = this;
    return closed && path(tree, closed.node).some((node) => node.id === at) ? closed.node : leaf(tree, at);
  }

  /** Stores the evaluation of a position, unless a better one is known. */
  judge(id: number, line: Judgement): void {
    this.tree = judged(this.tree, id, line);
  }
}
