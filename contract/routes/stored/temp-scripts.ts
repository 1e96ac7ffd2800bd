import * as z from "zod";
import { contentHash, inWorkspace } from "../../common.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";

const w = "/api/w/{workspace}/scripts/raw_temp";
const post = { method: "POST", fn: "objects", auth: "token", params: inWorkspace } as const;

/** Temporary sources by the paths of the scripts that they replace. */
export const tempScriptRefs = z
  .record(z.string().max(250), contentHash)
  .refine((refs) => Object.keys(refs).length <= limits.tempScriptRefs, `at most ${limits.tempScriptRefs} scripts`)
  .describe(
    "Hashes of `scripts/raw_temp/store` by path: imports of these scripts find the temporary sources instead of the stored scripts.",
  );

const diffSchema = z.object({
  scripts: z
    .record(z.string().max(400), contentHash)
    .refine((scripts) => Object.keys(scripts).length <= limits.tempScriptRefs, `at most ${limits.tempScriptRefs} scripts`)
    .describe("The SHA-256 of the source of each script."),
  workspace_deps: z
    .array(z.object({ path: z.string().max(400), language: z.string().max(50), name: z.string().max(200).nullish(), hash: contentHash }))
    .max(limits.dependencyLists)
    .nullish()
    .describe("The SHA-256 of each list of package versions."),
});
export type SourceDiff = z.output<typeof diffSchema>;

/** Sources that are stored for a day, so that a command line can build scripts that import one another before it saves them. */
export const tempScriptRoutes = {
  storeTempScript: defineRoute({
    ...post,
    name: "scripts.storeTemp",
    summary: "Store the source of a script for a day, for builds that name it by its hash in `temp_script_refs`.",
    path: `${w}/store`,
    access: { domain: "scripts", verb: "write", need: "write", target: "none" },
    audits: { kind: "Updated", resource: { reply: "text" } },
    body: z.string().max(limits.scriptBytes),
    status: 201,
    reply: { text: "The SHA-256 of the source in hexadecimal." },
    errors: ["script.tooLarge", "workspace.notFound"],
  }),
  diffScripts: defineRoute({
    ...post,
    name: "scripts.diffTemp",
    summary: "List the scripts and lists of package versions that are not stored with the given sources.",
    path: `${w}/diff`,
    access: { domain: "scripts", verb: "read", need: "read", target: "list" },
    body: diffSchema,
    status: 200,
    reply: { json: z.array(z.string()) },
    errors: [],
  }),
};
