import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { engineData, gameTexts, offline, plainScript, variantPages } from "./build-plugins.js";

export default defineConfig({
  // Relative addresses: the page runs in any folder of any host.
  base: "./",
  plugins: [svelte(), engineData(), gameTexts(), plainScript(), variantPages(), offline()],
  worker: { format: "es" },
  // The package finds its worker by its own address, which bundling it in advance would change.
  optimizeDeps: { exclude: ["millbrain"] },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    // Of the fonts and libraries that are in it, for those who pass it on.
    license: { fileName: "licenses.txt" },
    rolldownOptions: {
      output: {
        // The page's script is one file, whatever views that are fetched later share with it.
        codeSplitting: { groups: [{ name: "index", tags: ["$initial"] }] },
        // In a folder of their own: the service worker leaves them until somebody asks for them.
        chunkFileNames: ({ facadeModuleId }) =>
          `assets/${facadeModuleId?.includes("/learn/puzzles/") ? "puzzles/" : ""}[name]-[hash].js`,
      },
    },
  },
  test: {
    include: ["tests/**/*.test.ts"],
    globalSetup: "tests/setup.ts",
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // What a page shows is asked for with expect.poll, never once: texts and views are fetched.
    // A second is little for that on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    // A browser each: most of the time a test waits for what is drawn or thought.
    maxWorkers: 2,
  },
});
