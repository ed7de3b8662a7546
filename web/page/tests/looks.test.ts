import { expect, test } from "vitest";
import { BOARD_NAMES, BOARDS, lookOf, RINGS, STONE_NAMES, STONES } from "@millbrain/board/model";

type Rgb = readonly [number, number, number];

/** Returns the linear light of a colour, channel by channel. */
function linear(hex: string): Rgb {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

/** Colour vision: Machado, Oliveira and Fernandes (2009), severity 1. */
const EYES: Record<string, readonly [Rgb, Rgb, Rgb]> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function luminance(hex: string, eye: string): number {
  const light = linear(hex);
  const [r, g, b] = EYES[eye]!.map((row) =>
    Math.min(1, Math.max(0, row[0] * light[0] + row[1] * light[1] + row[2] * light[2])),
  ) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string, eye: string): number {
  const [low, high] = [luminance(a, eye), luminance(b, eye)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

test("the stones of both sides differ in lightness for every eye", () => {
  for (const eye of Object.keys(EYES)) {
    for (const name of STONE_NAMES) {
      const { light, dark } = STONES[name];
      // The worst case: the lit edge of the dark one against the shade of the light one.
      expect(contrast(light[1], dark[1], eye), `${eye} ${name}`).toBeGreaterThanOrEqual(4.5);
      expect(luminance(light[2], eye), `${eye} ${name}`).toBeGreaterThan(luminance(dark[0], eye));
    }
  }
});

test("the stones stand out from every board, and the lines are seen on it", () => {
  for (const eye of Object.keys(EYES)) {
    for (const board of BOARD_NAMES) {
      const made = BOARDS[board];
      if (made === undefined) continue;
      expect(contrast(made.line, made.wood[1], eye), `${eye} ${board}`).toBeGreaterThanOrEqual(3);
      expect(contrast(made.frameInk, made.frame[0], eye), `${eye} ${board}`).toBeGreaterThanOrEqual(3);
      for (const name of STONE_NAMES) {
        // The visible part of a stone: all of it against the wood, or its edge or rings against the stone.
        const { light, dark, edge } = STONES[name];
        const white = [contrast(light[1], made.wood[1], eye), contrast(edge, light[1], eye)];
        const black = [contrast(dark[1], made.wood[1], eye), contrast(RINGS, dark[1], eye)];
        expect(Math.max(...white), `${eye} ${board} ${name}`).toBeGreaterThanOrEqual(3);
        expect(Math.max(...black), `${eye} ${board} ${name}`).toBeGreaterThanOrEqual(3);
      }
    }
  }
});

test("the board of the theme leaves the theme alone", () => {
  const own = Object.entries(lookOf("ivory", "oak")).filter(([, value]) => value === undefined);
  expect(own.map(([name]) => name)).toContain("--wood-a");
  expect(Object.values(lookOf("ivory", "plain")).every((value) => value !== undefined)).toBe(true);
});
