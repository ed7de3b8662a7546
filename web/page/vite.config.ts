import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { engineData, gameTexts, offline, plainScript, variantPages } from "./build-plugins.js";

export default defineConfig({
  // Relative addresses: the page runs in any folder of any host.
  base: "./",
  plugins: [svelte(), engineData(), gameTexts(), plainScript(), variantPages(), offline()],
  worker: { format: "es" },
  // The package finds its worker by its own address, which pre-bundling would change.
  optimizeDeps: { exclude: ["millbrain"] },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    // Licences of the included fonts and libraries, for redistribution.
    license: { fileName: "licenses.txt" },
    rolldownOptions: {
      output: {
        // The page's script is one file, regardless of code shared with later views.
        codeSplitting: { groups: [{ name: "index", tags: ["$initial"] }] },
        // In a separate folder: the service worker fetches them only on request.
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
    // Contents of a page are polled with expect.poll: texts and views load asynchronously. A second is too short on a
    // busy machine.
    expect: { poll: { timeout: 30_000 } },
    // One browser each: most of the time a test waits for rendering or searches.
    maxWorkers: 2,
  },
});
