/** Of the files in data/; the build writes it. */
export const DIGEST: string = "none";
