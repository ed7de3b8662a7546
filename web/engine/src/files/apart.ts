/** The files of the package `@millbrain/packs`, which are larger than everything else together. */
export const APART = ["packs/mlyn.pack", "packs/morabaraba.pack", "merels/17.wdl"];

/**
 * Returns the address of a file in a folder of the engine's files; `apart` is the folder of `@millbrain/packs`, if that
 * package has its files.
 */
export function addressIn(folder: string, name: string, apart: string | undefined): string {
  return apart !== undefined && APART.includes(name)
    ? new URL(name.replace("packs/", ""), apart).href
    : new URL(name, folder).href;
}
