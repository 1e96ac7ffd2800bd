import { readFileSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { listClientFunctions } from "./client-functions.ts";
import { listTypeFiles } from "./type-files.ts";

/**
 * The entries, by the mode of their build. The console is a separate build, so that its pages share no file with the approval page, which must
 * stay small.
 */
const ENTRIES: Readonly<Record<string, readonly string[]>> = { pages: ["/approve.html", "/device.html"], console: ["/console.html"] };

/** The pages, by the beginning of their URLs in the service. */
const PAGES = {
  "/approve/": "/approve.html",
  "/device": "/device.html",
  "/login": "/console.html",
  "/w/": "/console.html",
  "/account/": "/console.html",
  "/instance/": "/console.html",
  "/share/": "/console.html",
};

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

/** Puts what the editor of scripts knows of types and of our clients into modules. */
const declarations: Plugin = {
  name: "declarations",
  load: (id) => {
    const exported = (name: string, value: unknown) => ({
      code: `export const ${name} = ${JSON.stringify(value)};`,
      moduleType: "js" as const,
    });
    if (id.endsWith("/parts/types/type-files.ts")) return exported("typeFiles", Object.fromEntries(listTypeFiles()));
    return id.endsWith("/parts/code/client-functions.ts") ? exported("clientFunctions", listClientFunctions()) : undefined;
  },
};

/** Names the chunk of a page of the console after its folder: every page is a file `page.tsx`. */
const chunkFileNames = ({ name, facadeModuleId }: { name: string; facadeModuleId?: string | null }) =>
  `assets/console-${/\/pages\/([\w-]+)\/page\.tsx$/.exec(facadeModuleId ?? "")?.[1] ?? name}-[hash].js`;

/** Replaces two names by the headings and the words of the guides, which `lib/api/web.ts` writes into a file. */
function guidesOf(file: string | undefined): Record<string, string> {
  const { entries = [], words = "" } =
    file === undefined ? {} : (JSON.parse(readFileSync(file, "utf8")) as { entries?: unknown; words?: string });
  return { __GUIDES__: JSON.stringify(entries), __GUIDE_WORDS__: JSON.stringify(words) };
}

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  // Files refer to each other by relative addresses; functions/shared/reply/static-files.ts adds the path of the service to those in a page.
  base: "./",
  plugins: [react(), pageAddresses, declarations],
  resolve: { alias: { "markdown-to-jsx/react": `${import.meta.dirname}/src/shared/form/plain-markdown.tsx` } },
  // The service refuses pages of other origins, so the forwarded requests keep their `Host`.
  server: {
    proxy: Object.fromEntries(
      ["/api", "/docs"].map((path) => [path, { target: process.env["SVC_URL"] ?? "http://127.0.0.1:8000", changeOrigin: false }]),
    ),
  },
  define: guidesOf(process.env["SVC_GUIDES"]),
  // Each reply with a page replaces it (functions/shared/reply/static-files.ts).
  html: { cspNonce: "__CSP_NONCE__" },
  worker: {
    format: "es",
    rolldownOptions: { output: { entryFileNames: "assets/console-[name]-[hash].js", chunkFileNames: "assets/console-[name]-[hash].js" } },
  },
  build: {
    emptyOutDir: false,
    target: "es2022",
    // The page's policy allows no inline scripts or styles, and only images of this origin or in data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: (ENTRIES[mode] ?? []).map((page) => `${import.meta.dirname}${page}`),
      // Code that several pages use is one file, which a browser loads once.
      output:
        mode === "pages"
          ? { codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] } }
          : {
              chunkFileNames,
              entryFileNames: "assets/console-main-[hash].js",
              assetFileNames: "assets/console-[hash][extname]",
              // Everything that each page loads first is one file: 35 small ones took three times as long.
              codeSplitting: { groups: [{ name: "main", tags: ["$initial"] }] },
            },
    },
  },
}));
