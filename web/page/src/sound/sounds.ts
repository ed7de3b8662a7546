import type { MoveParts, State } from "millbrain";

export const SOUNDS = ["place", "slide", "mill", "take", "end"] as const;
export type Sound = (typeof SOUNDS)[number];

/** Returns the sounds of a move, from its changes on the board. */
export function soundsOf(before: State, after: State, { from, taken }: MoveParts, ended: boolean): Sound[] {
  const isTaken = after.pieces.length < before.pieces.length + (from === undefined ? 1 : 0);
  const sounds: Sound[] = [from === undefined ? "place" : "slide"];
  if (taken.length > 0) sounds.push("mill");
  if (isTaken) sounds.push("take");
  if (ended) sounds.push("end");
  return sounds;
}

/** A struck tone: its pitch in Hz, its final pitch, its initial volume, and its duration in seconds. */
interface Tone {
  readonly at: number;
  readonly wave: OscillatorType;
  readonly from: number;
  readonly to: number;
  readonly volume: number;
  readonly length: number;
}

const tone = (
  at: number,
  wave: OscillatorType,
  from: number,
  to: number,
  volume: number,
  length: number,
) => ({
  at,
  wave,
  from,
  to,
  volume,
  length,
});

/** Wood on wood for stones, bells for gains. */
const TONES: Record<Sound, readonly Tone[]> = {
  place: [tone(0, "triangle", 330, 150, 0.5, 0.09), tone(0, "square", 1400, 500, 0.06, 0.03)],
  slide: [tone(0, "triangle", 190, 260, 0.25, 0.12), tone(0.1, "triangle", 300, 150, 0.4, 0.08)],
  mill: [tone(0, "sine", 660, 660, 0.3, 0.22), tone(0.09, "sine", 880, 880, 0.3, 0.35)],
  take: [tone(0, "triangle", 240, 70, 0.5, 0.18)],
  end: [
    tone(0, "sine", 523, 523, 0.28, 0.5),
    tone(0.13, "sine", 659, 659, 0.28, 0.5),
    tone(0.26, "sine", 784, 784, 0.28, 0.8),
  ],
};
/** Delay between the sounds of a move, in seconds. */
const APART = 0.16;
/** Share of a tone's initial volume that is left at its end. */
const SILENCE = 0.001;

/** Plays sounds after the first user gesture: browsers block them before. */
export class Speaker {
  #context: AudioContext | undefined;
  #make: () => AudioContext;

  constructor(make: () => AudioContext = () => new AudioContext()) {
    this.#make = make;
  }

  /** Call it within a gesture of the user. */
  unlock(): void {
    try {
      this.#context ??= this.#make();
      if (this.#context.state === "suspended") this.#context.resume().catch(() => {});
    } catch {
      // Without a sound device the page works too.
    }
  }

  play(sounds: readonly Sound[]): void {
    const context = this.#context;
    if (context === undefined || context.state === "closed") return;
    for (const [i, sound] of sounds.entries()) {
      for (const reported of TONES[sound]) strike(context, context.currentTime + i * APART, reported);
    }
  }
}

function strike(context: AudioContext, start: number, { at, wave, from, to, volume, length }: Tone): void {
  const begin = start + at;
  const end = begin + length;
  const oscillator = context.createOscillator();
  const gain = context.createGain();
  oscillator.type = wave;
  oscillator.frequency.setValueAtTime(from, begin);
  oscillator.frequency.exponentialRampToValueAtTime(to, end);
  gain.gain.setValueAtTime(volume, begin);
  gain.gain.exponentialRampToValueAtTime(volume * SILENCE, end);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(begin);
  oscillator.stop(end);
}
