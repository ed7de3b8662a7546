/** Of the files in data/; the build writes it. */
export const DIGEST: string = "none";
/** Length and digest of each of them. */
export const FILES: Readonly<Record<string, readonly [length: number, digest: string]>> = {};
