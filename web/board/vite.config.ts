import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  // One file: it includes the styles, which are injected with the element, and the required parts of Svelte. Class
  // names contain the component's name, which is shorter than a digest.
  plugins: [
    svelte({ compilerOptions: { css: "injected", cssHash: ({ name }) => `of-${name.toLowerCase()}` } }),
  ],
  build: {
    target: "es2022",
    emptyOutDir: true,
    lib: { entry: "src/index.ts", formats: ["es"], fileName: "index" },
    // Vite keeps whitespace in libraries; this one is also for pages without a bundler.
    rolldownOptions: {
      output: { minify: true, comments: false },
      // Otherwise unused parts of Svelte would be included, such as its own custom elements.
      treeshake: {
        moduleSideEffects: (id) => !id.includes("/node_modules/svelte/"),
        propertyReadSideEffects: false,
        unknownGlobalSideEffects: false,
      },
    },
  },
});
