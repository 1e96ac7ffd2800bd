import { join } from "node:path";
import { scriptLanguage } from "../shared/script-runtime.ts";
import { heapLimitMb, interpreterPath } from "../shared/settings.ts";
import { createHandler, handlerDirectory } from "../shared/supervise.ts";

const wrapper = join(handlerDirectory(import.meta.url), "wrapper.mjs");

/** Runs nodejs (and nativets) scripts: one process per job, started in advance. */
export const handler = createHandler(
  scriptLanguage({
    name: "nodejs",
    realms: false,
    command() {
      const heapMb = heapLimitMb();
      return [interpreterPath("node", import.meta.url), ...(heapMb ? [`--max-old-space-size=${heapMb}`] : []), wrapper];
    },
  }),
);
