import { beforeAll, expect, test } from "vitest";
import { loadRules, rules } from "../src/engine/rules.js";
import { Speaker, SOUNDS, soundsOf } from "../src/sound/sounds.js";

beforeAll(() => loadRules());

/** Returns a context that records the start and end of all tones. */
function fake(state: AudioContextState = "running") {
  const tones: { start: number; end: number; notes: number[]; volume: number }[] = [];
  let resumed = 0;
  const context = {
    state,
    currentTime: 7,
    destination: {},
    resume: () => Promise.resolve(void (resumed += 1)),
    createOscillator: () => {
      const reported = { start: 0, end: 0, notes: [] as number[], volume: 0 };
      tones.push(reported);
      return {
        type: "sine",
        frequency: {
          setValueAtTime: (hz: number) => reported.notes.push(hz),
          exponentialRampToValueAtTime: (hz: number) => reported.notes.push(hz),
        },
        connect: (gain: unknown) => gain,
        start: (at: number) => (reported.start = at),
        stop: (at: number) => (reported.end = at),
      };
    },
    createGain: () => ({
      gain: {
        setValueAtTime: (volume: number) => (tones.at(-1)!.volume = volume),
        exponentialRampToValueAtTime: () => {},
      },
      connect: () => context.destination,
    }),
  };
  return { context: context as unknown as AudioContext, tones, resumed: () => resumed };
}

test("nothing is heard before a gesture, and each sound afterwards", () => {
  const { context, tones, resumed } = fake("suspended");
  let made = 0;
  const speaker = new Speaker(() => {
    made += 1;
    return context;
  });
  speaker.play(["place"]);
  expect([made, tones.length]).toEqual([0, 0]);
  speaker.unlock();
  speaker.unlock();
  expect([made, resumed()]).toEqual([1, 2]);
  const all = SOUNDS.map((sound) => {
    const before = tones.length;
    speaker.play([sound]);
    return JSON.stringify(tones.slice(before));
  });
  expect(new Set(all).size).toBe(SOUNDS.length);
  for (const { start, end, notes, volume } of tones) {
    expect(start).toBeGreaterThanOrEqual(7);
    expect(end - start).toBeLessThanOrEqual(1);
    expect(end).toBeGreaterThan(start);
    for (const hz of notes) expect(hz).toBeGreaterThan(20);
    expect(volume).toBeGreaterThan(0);
    expect(volume).toBeLessThanOrEqual(0.5);
  }
  // The sounds of one move are played in sequence.
  const before = tones.length;
  speaker.play(["slide", "mill", "take"]);
  const starts = tones.slice(before).map(({ start }) => start);
  expect(starts).toEqual([...starts].sort((a, b) => a - b));
});

test("a device without sound plays on", () => {
  const speaker = new Speaker(() => {
    throw new Error("NotSupportedError");
  });
  speaker.unlock();
  expect(() => speaker.play(["end"])).not.toThrow();
});

test("moves sound by what they do", () => {
  const heard = (variant: string, moves: string[], fen?: string) => {
    const state = (played: string[]) => rules().state({ variant }, { fen, moves: played });
    const after = state(moves);
    const parts = rules().parts({ variant }, moves.at(-1)!)!;
    return soundsOf(state(moves.slice(0, -1)), after, parts, after.ending !== null);
  };
  expect(heard("morris", ["d6"])).toEqual(["place"]);
  expect(heard("morris", ["a7", "d2", "d7", "d1", "g7xd1"])).toEqual(["place", "mill", "take"]);
  const fen = "OO1/3/3/O1X3/1XX/3/3 w 0 0 0 1";
  expect(heard("morris", ["a4g7xc4"], fen)).toEqual(["slide", "mill", "take", "end"]);
  expect(heard("smess", ["d2d3"])).toEqual(["slide"]);
  const near = "3b3/7/7/7/7/7/3n3/3B3 w 0 1";
  const takes = rules()
    .state({ variant: "smess" }, { fen: near })
    .moves.find(({ to }) => to === "d2");
  expect(takes).toBeDefined();
  expect(heard("smess", [takes!.text], near).slice(0, 2)).toEqual(["slide", "take"]);
});
