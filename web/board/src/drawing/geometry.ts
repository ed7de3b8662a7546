import type { Point } from "../types.js";

export type Direction = "left" | "right" | "up" | "down";

/**
 * Returns the next point in a direction: straight ahead if possible, otherwise the nearest one mostly in that
 * direction.
 */
export function neighbour(points: readonly Point[], from: Point, direction: Direction): Point | undefined {
  const isSideways = direction === "left" || direction === "right";
  const sign = direction === "left" || direction === "up" ? -1 : 1;
  let best: Point | undefined;
  let least = Infinity;
  for (const point of points) {
    const ahead = sign * (isSideways ? point.x - from.x : point.y - from.y);
    const aside = Math.abs(isSideways ? point.y - from.y : point.x - from.x);
    if (ahead <= 0) continue;
    // Sideways distance counts three times, so that the arrow keys follow the lines of the board.
    const cost = ahead + 3 * aside;
    if (cost < least) [best, least] = [point, cost];
  }
  return best;
}
