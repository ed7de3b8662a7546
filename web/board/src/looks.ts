/** Shades of one side's stones, from highlight to shadow. */
type Shades = readonly [light: string, middle: string, shadow: string];

/**
 * Colours of stones. White's are always lighter and have an edge that is visible on light boards; Black's have rings
 * that are visible on dark ones.
 */
export const STONES = {
  ivory: {
    light: ["#fffefa", "#f1e8d6", "#cdbd9f"],
    dark: ["#5e5750", "#2f2a27", "#171412"],
    edge: "#8d7b5c",
  },
  "blue-red": {
    light: ["#d9edff", "#84c1fb", "#3d87cf"],
    dark: ["#b4322c", "#7d1014", "#470709"],
    edge: "#174a7d",
  },
  "yellow-violet": {
    light: ["#fff3b0", "#f6d746", "#cfa51c"],
    dark: ["#7a4aa0", "#4b1f6f", "#2b0f43"],
    edge: "#7a5c00",
  },
  "mint-maroon": {
    light: ["#e2fbef", "#a8e6cf", "#74bd9f"],
    dark: ["#a3405c", "#6b0f2a", "#3d0617"],
    edge: "#2f6b52",
  },
} as const satisfies Record<string, { light: Shades; dark: Shades; edge: string }>;
export type StoneName = keyof typeof STONES;
export const STONE_NAMES = Object.keys(STONES) as [StoneName, ...StoneName[]];

/** The rings on Black's stones. */
export const RINGS = "#d9cdb8";

/** The colours of a board: its wood, its frame, its engraving, and its squares. */
interface Wood {
  readonly wood: Shades;
  readonly frame: readonly [string, string];
  readonly frameInk: string;
  readonly grain: string;
  readonly line: string;
}

/** The woods; the theme's is `oak`, which is darker at night. */
export const BOARDS = {
  oak: undefined,
  maple: {
    wood: ["#f0dcb8", "#e6cb9e", "#d8b984"],
    frame: ["#a9713f", "#8a5a2f"],
    frameInk: "#fff3dd",
    grain: "rgb(130 80 30 / 0.12)",
    line: "#5a3c20",
  },
  walnut: {
    wood: ["#9c7552", "#876040", "#704c2d"],
    frame: ["#40291a", "#2b1a0f"],
    frameInk: "#e2c6a1",
    grain: "rgb(30 12 0 / 0.24)",
    line: "#1f1108",
  },
  plain: {
    wood: ["#b9bec4", "#b9bec4", "#b9bec4"],
    frame: ["#4d545c", "#4d545c"],
    frameInk: "#ffffff",
    grain: "transparent",
    line: "#22272c",
  },
} as const satisfies Record<string, Wood | undefined>;
export const BOARD_NAMES = Object.keys(BOARDS) as [keyof typeof BOARDS, ...(keyof typeof BOARDS)[]];

/** Style properties by name; without a value the theme's applies. */
export type Look = Readonly<Record<string, string | undefined>>;

export function lookOf(stones: StoneName, board: keyof typeof BOARDS): Look {
  const { light, dark, edge } = STONES[stones];
  const made: Wood | undefined = BOARDS[board];
  return {
    "--light-a": light[0],
    "--light-b": light[1],
    "--light-c": light[2],
    "--light-edge": edge,
    "--dark-a": dark[0],
    "--dark-b": dark[1],
    "--dark-c": dark[2],
    "--wood-a": made?.wood[0],
    "--wood-b": made?.wood[1],
    "--wood-c": made?.wood[2],
    "--frame-a": made?.frame[0],
    "--frame-b": made?.frame[1],
    "--frame-ink": made?.frameInk,
    "--grain": made?.grain,
    "--line": made?.line,
  };
}
