import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The pages, by the beginning of their URLs in the service. */
const PAGES = { "/approve/": "/approve.html", "/device": "/device.html" };

/** `npx vite web` serves the pages at the URLs that they have in the service, and forwards API requests to a running service. */
const pageAddresses: Plugin = {
  name: "page-addresses",
  configureServer: ({ middlewares }) => {
    middlewares.use((request, _, next) => {
      const [, page] = Object.entries(PAGES).find(([beginning]) => request.url?.startsWith(beginning)) ?? [];
      if (page && request.url !== page) request.url = page;
      next();
    });
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // Files refer to each other by relative addresses; functions/shared/reply/static-files.ts adds the path of the service to those in a page.
  base: "./",
  plugins: [react(), pageAddresses],
  resolve: { alias: { "markdown-to-jsx/react": `${import.meta.dirname}/src/approval/form/plain-markdown.tsx` } },
  server: { proxy: { "/api": process.env["SVC_URL"] ?? "http://127.0.0.1:8000" } },
  // Each reply with a page replaces it (functions/shared/reply/static-files.ts).
  html: { cspNonce: "__CSP_NONCE__" },
  build: {
    emptyOutDir: true,
    target: "es2022",
    // The page's policy allows no inline scripts or styles, and only images of this origin or in data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: Object.values(PAGES).map((page) => `${import.meta.dirname}${page}`),
      // Code that several pages use is one file, which a browser loads once.
      output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] } },
    },
  },
});
