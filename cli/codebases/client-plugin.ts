import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { CLIENT_PACKAGE } from "../../contract/deployment/client-packages.ts";
import { CLIENT_FOLDER } from "../client-library.ts";

const NAMESPACE = "svc-client";
const OWN_NAMES = new RegExp(`^(svc-client|${CLIENT_PACKAGE})$`);
/** Marks the search for an installed package, which must not start another search. */
const SEARCHING = Symbol("searching");

/**
 * Resolves the names of the client to the library of this package, as builds of the service do, unless the codebase has installed it. The name in the bundle
 * is the same on every machine.
 */
export const clientPlugin: Plugin = {
  name: "svc-client",
  setup(build) {
    build.onResolve({ filter: OWN_NAMES }, async ({ path, pluginData, kind, importer, resolveDir }) => {
      if (pluginData === SEARCHING) return undefined;
      const installed = await build.resolve(path, { kind, importer, resolveDir, pluginData: SEARCHING });
      return installed.errors.length === 0 ? installed : { path: "index.js", namespace: NAMESPACE, sideEffects: false };
    });
    build.onLoad({ filter: /.*/, namespace: NAMESPACE }, async ({ path }) => ({
      contents: await readFile(join(CLIENT_FOLDER, path)),
      loader: "js",
    }));
  },
};
