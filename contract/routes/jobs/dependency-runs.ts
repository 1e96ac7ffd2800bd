import * as z from "zod";
import { inWorkspace } from "../../common.ts";
import { flowValueSchema } from "../../flows/flow-value-schema.ts";
import { scriptLanguageSchema } from "../../languages.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { tempScriptRefs } from "../stored/temp-scripts.ts";
import { accepted, queueLimit, runErrors, runQuery, waitErrors } from "./runs.ts";

const codePath = z.string().max(250);
const rawScriptSchema = z.object({
  raw_code: z.string().max(limits.scriptBytes),
  language: scriptLanguageSchema,
  path: codePath.nullish(),
  script_path: codePath.nullish().describe("Another name of `path`."),
});
const dependencyFilesSchema = z
  .record(z.string().max(250), z.string().max(limits.dependencyListBytes))
  .refine((files) => Object.keys(files).length <= limits.dependencyLists, `at most ${limits.dependencyLists} files`)
  .describe(
    "Lists of package versions by file, such as `dependencies/package.json`. Each takes precedence over the stored list of its name.",
  );

/** Code that is not stored, to resolve its packages. */
export const dependenciesSchema = z
  .object({
    raw_scripts: z.array(rawScriptSchema).min(1).max(limits.importedScripts),
    entrypoint: codePath
      .nullish()
      .describe("The path of the script to lock. The others are what it imports. May be left out if there is one script."),
    raw_workspace_dependencies: dependencyFilesSchema.nullish(),
    temp_script_refs: tempScriptRefs.nullish(),
  })
  .refine(({ raw_scripts: scripts, entrypoint }) => scripts.length === 1 || scripts.some((script) => pathOf(script) === entrypoint), {
    path: ["entrypoint"],
    message: "must be the path of one of the scripts",
  });
export type Dependencies = z.output<typeof dependenciesSchema>;

/** Returns the path of a script under either field name. */
export const pathOf = ({ path, script_path: other }: z.output<typeof rawScriptSchema>): string | undefined => path ?? other ?? undefined;

/** A flow that is not stored, to resolve the packages of its inline scripts. */
export const flowDependenciesSchema = z.object({
  path: codePath.nullish(),
  flow_value: flowValueSchema,
  use_local_lockfiles: z
    .boolean()
    .nullish()
    .describe("Has no effect: the lock of an inline script is always used, and one without a lock gets one."),
  raw_workspace_dependencies: dependencyFilesSchema.nullish(),
  temp_script_refs: tempScriptRefs.nullish(),
});
export type FlowDependencies = z.output<typeof flowDependenciesSchema>;

const failedSchema = z.object({ error: z.looseObject({ name: z.string(), message: z.string() }) });
const base = "/api/w/{workspace}/jobs/run";
const route = {
  method: "POST",
  fn: "run",
  auth: "token",
  // A build runs no code, but it fetches any package, as a preview can.
  access: { domain: "jobs", verb: "run", runs: "preview", need: "write", target: "none" },
  params: inWorkspace,
} as const;

export const dependencyRunRoutes = {
  runDependencies: defineRoute({
    ...route,
    name: "jobs.runWait.dependencies",
    summary: "Resolve the packages of a script that is not stored, and return its lock.",
    path: `${base}/dependencies`,
    query: runQuery.extend(queueLimit),
    body: dependenciesSchema,
    status: 200,
    reply: { json: z.union([z.object({ lock: z.string() }), failedSchema]) },
    errors: waitErrors,
  }),
  runDependenciesAsync: defineRoute({
    ...route,
    name: "jobs.run.dependencies",
    summary: "Resolve the packages of a script that is not stored, in a job whose result has the lock, and return the id of the job.",
    path: `${base}/dependencies_async`,
    query: runQuery,
    body: dependenciesSchema,
    status: 201,
    reply: accepted,
    errors: runErrors,
  }),
  runFlowDependenciesAsync: defineRoute({
    ...route,
    name: "jobs.run.flowDependencies",
    summary:
      "Resolve the packages of a flow's inline scripts, in a job whose result has the flow with their locks, and return the id of the job.",
    path: `${base}/flow_dependencies_async`,
    query: runQuery,
    body: flowDependenciesSchema,
    status: 201,
    reply: accepted,
    errors: runErrors,
  }),
};
