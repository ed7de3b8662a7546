/** The components that the custom element is made of, for pages that are made with Svelte. */
export { default as Board } from "./Board.svelte";
export { default as Defs } from "./Defs.svelte";
export { default as PieceShape } from "./Piece.svelte";
