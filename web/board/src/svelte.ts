/** The components of the custom element, for pages made with Svelte. */
export { default as Board } from "./Board.svelte";
export { default as Defs } from "./drawing/Defs.svelte";
export { default as Palette } from "./Palette.svelte";
export { default as PieceShape } from "./drawing/Piece.svelte";
