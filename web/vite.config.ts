import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const PAGE = "/approve.html";

/** `npx vite web` serves the page at the URLs that it has in the service, and forwards API requests to a running service. */
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
    // The page's policy allows no inline scripts or styles, and only images of this origin or in data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: `${import.meta.dirname}${PAGE}` },
  },
});
