import type { Ruleset } from "millbrain";
import type { Goal } from "./goals.js";

/** A part of a lesson. */
export interface Step {
  readonly goal: Goal;
  /** Number of moves for the learner; default one. */
  readonly moves?: number;
}

/** A position to play from. Its ID selects its texts. */
export interface Lesson {
  readonly id: string;
  readonly rules: Ruleset;
  /** Defaults to the start of the game. */
  readonly fen?: string;
  readonly steps: readonly Step[];
  /** The other side's preferred replies: it plays the first legal one. */
  readonly replies: readonly string[];
  /** The learner's moves, shown on request. */
  readonly solution: readonly string[];
}

const morris: Ruleset = { variant: "morris" };
const smess: Ruleset = { variant: "smess" };

/** The lessons of the families, in learning order. */
export const LESSONS: Readonly<Record<string, readonly Lesson[]>> = {
  morris: [
    {
      id: "placing",
      rules: morris,
      steps: [{ goal: { places: true, to: ["d6"] } }, { goal: { places: true } }],
      replies: ["d2", "f4"],
      solution: ["d6", "f4"],
    },
    {
      id: "mill",
      rules: morris,
      fen: "OO1/3/3/1O2X1/2X/1X1/3 w 6 6",
      steps: [{ goal: { takes: true } }],
      replies: [],
      solution: ["g7xd2"],
    },
    {
      id: "protected",
      rules: morris,
      fen: "OO1/X2/3/1X3X/3/X1O/3 w 5 5",
      steps: [{ goal: { takes: true } }],
      replies: [],
      solution: ["g7xg4"],
    },
    {
      id: "block",
      rules: morris,
      fen: "3/1O1/3/O5/3/X1X/3 w 7 7",
      steps: [{ goal: { safe: true } }],
      replies: [],
      solution: ["d2"],
    },
    {
      id: "fork",
      rules: morris,
      fen: "O2/3/2X/1X4/3/3/2O w 7 7",
      steps: [{ goal: { forces: "takes" } }, { goal: { takes: true } }],
      replies: ["d7", "a4"],
      solution: ["g7", "g4xb4"],
    },
    {
      id: "moving",
      rules: morris,
      fen: "1OO/2X/X2/OX2X1/2O/1X1/3 w 0 0",
      steps: [{ goal: { takes: true } }],
      replies: [],
      solution: ["a4a7xb4"],
    },
    {
      id: "swing",
      rules: morris,
      fen: "OOO/3/2X/1X2X1/X1O/1X1/3 w 0 0",
      steps: [{ goal: { forces: "takes" } }, { goal: { takes: true } }],
      replies: ["d2d1", "b4a4"],
      solution: ["d7d6", "d6d7xd1"],
    },
    {
      id: "lock",
      rules: morris,
      fen: "3/OOX/O1X/3XXO/1OX/OXX/OXX w 0 0",
      steps: [{ goal: { wins: true } }],
      replies: [],
      solution: ["c5d5"],
    },
    {
      id: "flying",
      rules: morris,
      fen: "OO1/3/2X/1X2X1/O2/1X1/3 w 0 0",
      steps: [{ goal: { takes: true } }],
      replies: [],
      solution: ["c3g7xe5"],
    },
    {
      id: "double",
      rules: morris,
      fen: "OOO/O1O/3/6/X1X/1X1/X1X w 0 0",
      steps: [{ goal: { takes: true } }, { goal: { takes: true } }],
      replies: ["d2d3", "g1g4", "a1a4"],
      solution: ["d7d6xe3", "d6d7xc3"],
    },
  ],
  smess: [
    {
      id: "arrows",
      rules: smess,
      fen: "3b3/2n4/7/7/7/7/3N3/3B3 w",
      steps: [{ goal: { to: ["d3"] } }],
      replies: [],
      solution: ["d2d3"],
    },
    {
      id: "path",
      rules: smess,
      fen: "3b3/7/7/N6/7/7/7/3B3 w",
      steps: [{ goal: { to: ["d5"] }, moves: 3 }],
      replies: ["d8e8", "e8d8", "d8c8"],
      solution: ["a5b6", "b6c6", "c6d5"],
    },
    {
      id: "brain",
      rules: smess,
      fen: "3b3/6n/7/2n4/3B3/7/6N/7 w",
      steps: [{ goal: { takes: true } }],
      replies: [],
      solution: ["d4c5"],
    },
    {
      id: "numskull",
      rules: smess,
      fen: "3b3/7/7/7/7/7/7/1S1B3 w",
      steps: [{ goal: { to: ["b6"] } }],
      replies: [],
      solution: ["b1b6"],
    },
    {
      id: "blocked",
      rules: smess,
      fen: "3b3/n2n3/7/3N3/3SN1n/7/7/3B3 w",
      steps: [{ goal: { takes: true } }],
      replies: [],
      solution: ["d4a7"],
    },
    {
      id: "exchange",
      rules: smess,
      fen: "3b3/3n3/1n1n3/7/3S3/6N/7/3B3 w",
      steps: [{ goal: { takes: true, safe: true } }],
      replies: [],
      solution: ["d4b6"],
    },
    {
      id: "promotion",
      rules: smess,
      fen: "6b/1N5/7/7/6n/7/7/3B3 w",
      steps: [{ goal: { promotes: true }, moves: 2 }],
      replies: ["g8g7", "g7g8"],
      solution: ["b7c7", "c7c8"],
    },
    {
      id: "danger",
      rules: smess,
      fen: "3b3/2n4/7/3s3/7/4N1N/3B3/7 w",
      steps: [{ goal: { survives: true } }],
      replies: [],
      solution: ["d2e2"],
    },
    {
      id: "catch",
      rules: smess,
      fen: "3s3/7/5n1/6b/2N4/4S2/1S5/3B3 w",
      steps: [{ goal: { wins: true } }],
      replies: [],
      solution: ["e3g5"],
    },
    {
      id: "net",
      rules: smess,
      fen: "7/b6/3n3/1n5/5S1/2B4/7/NS5 w",
      steps: [{ goal: { forces: "wins" } }, { goal: { wins: true } }],
      replies: ["a7a8", "a7a6"],
      solution: ["f4a4", "a4a8"],
    },
  ],
};
