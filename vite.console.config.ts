import { defineConfig } from "vite";

/** The web console: from src/console into dist/console, everything in it, nothing from elsewhere. */
export default defineConfig({
  root: "src/console",
  publicDir: false,
  logLevel: "warn",
  // In a browser the client takes the browser's own WebSocket.
  resolve: { alias: { ws: "/noWs.ts" } },
  oxc: { jsx: { runtime: "automatic" } },
  build: {
    outDir: "../../dist/console",
    emptyOutDir: true,
    target: "es2022",
    // An inlined file would need a looser Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: false,
    cssCodeSplit: false,
  },
});
