/** Digest of the files in data/; the build writes it. */
export const DIGEST: string = "none";
/** Length and digest of each file. */
export const FILES: Readonly<Record<string, readonly [length: number, digest: string]>> = {};
