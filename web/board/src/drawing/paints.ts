import { getContext, setContext } from "svelte";

/** Gradients, patterns and markers of boards and men. */
export type Paint = "ivory" | "ebony" | "wood" | "frame" | "grain" | "tip";

const PREFIX = Symbol("paints");

/** Makes what is drawn inside the current component use the paints whose names have this prefix. */
export const setPaints = (prefix: string): string => setContext(PREFIX, prefix);

/** Returns a function that returns the reference to a paint of the current component. */
export function paints(): (name: Paint) => string {
  const prefix = getContext<string | undefined>(PREFIX) ?? "";
  return (name) => `url(#${prefix}${name})`;
}
