import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  // One file: the styles are put where the element is, and what of Svelte it needs is in it.
  // Each component's classes carry its name, which is shorter than a digest.
  plugins: [
    svelte({ compilerOptions: { css: "injected", cssHash: ({ name }) => `of-${name.toLowerCase()}` } }),
  ],
  build: {
    target: "es2022",
    emptyOutDir: true,
    lib: { entry: "src/index.ts", formats: ["es"], fileName: "index" },
    // Of a library Vite leaves the spaces; this one is for pages without a bundler, too.
    rolldownOptions: {
      output: { minify: true, comments: false },
      // What of Svelte nobody uses would come along otherwise, such as its own way to make elements.
      treeshake: {
        moduleSideEffects: (id) => !id.includes("/node_modules/svelte/"),
        propertyReadSideEffects: false,
        unknownGlobalSideEffects: false,
      },
    },
  },
});
