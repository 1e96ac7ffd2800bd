import { join } from "node:path";
import { scriptLanguage } from "../shared/script-runtime.ts";
import { interpreterPath } from "../shared/settings.ts";
import { createHandler, handlerDirectory } from "../shared/supervise.ts";

const wrapper = join(handlerDirectory(import.meta.url), "wrapper.mjs");

/** Runs bun scripts: one host process per key, with one Worker per job. */
export const handler = createHandler(
  scriptLanguage({
    name: "bun",
    realms: true,
    command: () => [interpreterPath("bun", import.meta.url), "--no-install", wrapper],
    // Bun caches the parsed form of large bundles, so the host's next realm starts faster.
    env: (child) => ({ BUN_RUNTIME_TRANSPILER_CACHE_PATH: join(child.directory, "cache"), DO_NOT_TRACK: "1" }),
  }),
);
