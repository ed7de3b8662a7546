/** Where the engine's files are: beside the page, wherever that is. */
export const assets = new URL("engine/", document.baseURI).href;
