import { join } from "node:path";
import { scriptLanguage } from "../shared/script-runtime.ts";
import { interpreterPath } from "../shared/settings.ts";
import { createHandler, handlerDirectory } from "../shared/supervise.ts";

const wrapper = join(handlerDirectory(import.meta.url), "wrapper.mjs");

/** Runs bun scripts: a waiting host per key, in it a Worker per job. */
export const handler = createHandler(
  scriptLanguage({
    name: "bun",
    realms: true,
    command: () => [interpreterPath("bun", import.meta.url), "--no-install", wrapper],
    // Bun keeps what it parsed of large bundles: the host's next realm starts with it.
    env: (child) => ({ BUN_RUNTIME_TRANSPILER_CACHE_PATH: join(child.directory, "cache"), DO_NOT_TRACK: "1" }),
  }),
);
