import { join } from "node:path";
import { scriptLanguage } from "../shared/script-runtime.ts";
import { heapLimitMb, interpreterPath } from "../shared/settings.ts";
import { createHandler, handlerDirectory } from "../shared/supervise.ts";

const wrapper = join(handlerDirectory(import.meta.url), "wrapper.mjs");
// Scripts are isolated by the process and, on AWS, by the tenant's environment. Deno's permissions would only break scripts.
const flags = ["run", "--allow-all", "--no-prompt", "--no-lock", "--no-config", "--node-modules-dir=manual", "--quiet"];

/** Runs deno scripts: one process per job, started in advance. */
export const handler = createHandler(
  scriptLanguage({
    name: "deno",
    realms: false,
    command() {
      const heapMb = heapLimitMb();
      return [
        interpreterPath("deno", import.meta.url),
        ...flags,
        ...(heapMb ? [`--v8-flags=--max-old-space-size=${heapMb}`] : []),
        wrapper,
      ];
    },
    env: (child) => ({ DENO_DIR: join(child.directory, "deno"), DENO_NO_UPDATE_CHECK: "1", DENO_NO_PROMPT: "1", NO_COLOR: "1" }),
  }),
);
