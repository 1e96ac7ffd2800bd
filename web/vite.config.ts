import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const PAGE = "/approve.html";

/** `npx vite web`: the page stands at the addresses that it has in the service, whose API answers it. */
const pageAddresses: Plugin = {
  name: "page-addresses",
  configureServer: ({ middlewares }) => {
    middlewares.use((request, _, next) => {
      if (request.url?.startsWith("/approve/")) request.url = PAGE;
      next();
    });
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), pageAddresses],
  resolve: { alias: { "markdown-to-jsx/react": `${import.meta.dirname}/src/approval/form/plain-markdown.tsx` } },
  server: { proxy: { "/api": process.env["SVC_URL"] ?? "http://127.0.0.1:8000" } },
  build: {
    emptyOutDir: true,
    target: "es2022",
    // The page's policy takes no script and no style that stands in the page, and no image but ours or one in the data.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: `${import.meta.dirname}${PAGE}` },
  },
});
