import { createHash } from "node:crypto";
import * as z from "zod";
import { jsonObject } from "../../contract/common.ts";
import { defined } from "../../contract/defined.ts";
import { type FlowModule, type FlowValue, storedFlowValueSchema } from "../../contract/flows/flow-value.ts";
import { runnerLanguages } from "../../contract/languages.ts";
import type { FlowJson, NewFlow } from "../../contract/routes/flows/flows.ts";
import { paramTypesSchema } from "../builds/param-types.ts";
import { concurrencyRuleSchema } from "../jobs/concurrency.ts";
import { settingsShape } from "../jobs/record/run-settings.ts";
import { defineObject, inWorkspace, inWorkspaceBy, readWithBuild, sortableNumber } from "../objects/define-object.ts";
import { storedBodySchema } from "../objects/stored-body.ts";
import { listNestedModules } from "./scopes.ts";

/** The build state of a flow's inline scripts and its state machine. */
export const flowBuildSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("pending"), job: z.string() }),
  /** `plan`: the key in the bucket. `stateMachine`: the name. A flow without modules has none. */
  z.object({ state: z.literal("ready"), job: z.string(), plan: z.string(), stateMachine: z.string().optional() }),
  z.object({ state: z.literal("failed"), job: z.string(), error: z.string() }),
]);
export type FlowBuild = z.infer<typeof flowBuildSchema>;

/** Only the fields of a version that starting a flow needs, because they are read for every run. */
export const runnableFlowSchema = z.object({
  workspace: z.string(),
  path: z.string(),
  version: z.number(),
  hash: z.string(),
  build: flowBuildSchema,
  ...settingsShape("flow"),
  tag: z.string(),
  concurrency: concurrencyRuleSchema.optional(),
  onBehalfOf: z.object({ email: z.string(), permissionedAs: z.string() }).optional(),
  deleteAfterS: z.number().optional(),
  preprocessor: z.boolean().optional(),
  /** The schema that its inputs must match, if its author has enabled the check. */
  inputSchema: jsonObject.optional(),
  /** The arguments that the schema marks as secret. Absent if an earlier release saved the version. */
  hiddenArgs: z.array(z.string()).optional(),
  archived: z.boolean(),
  /** A setting that was changed after the version was saved. It replaces that of the version. */
  errorHandlerMuted: z.boolean().optional(),
});
export type RunnableFlow = z.infer<typeof runnableFlowSchema>;

/** The fields of a version that never change after it is saved. */
export interface StoredFlow {
  sent: NewFlow;
  version: number;
  hash: string;
  createdBy: string;
  createdAtMs: number;
}

/** A built inline script. */
const builtScriptSchema = z.object({
  runner: z.enum(runnerLanguages),
  key: z.string(),
  sha256: z.string(),
  params: z.array(z.string()).nullable(),
  paramTypes: paramTypesSchema.optional(),
});
/** The stored plan of a flow: the flow without inline code, and the built scripts by module. */
export const flowPlanSchema = z.object({ value: storedFlowValueSchema, scripts: z.record(z.string(), builtScriptSchema) });
export type FlowPlan = z.infer<typeof flowPlanSchema>;

/** The payload of function `flows`, which creates the state machine of a flow at a path. */
export const machineRequestSchema = z.object({ workspace: z.string(), path: z.string(), value: storedFlowValueSchema });
export type MachineRequest = z.infer<typeof machineRequestSchema>;
/** The name of the machine, or the reason for which Step Functions rejected it, as a sentence for the author of the flow. */
export type MachineAnswer = { machine: string } | { refused: string };

/** Returns 16 hex digits, computed from workspace, version and the submitted flow. */
export function computeFlowHash(workspace: string, version: number, flow: NewFlow): string {
  return createHash("sha256")
    .update(JSON.stringify([workspace, version, flow]))
    .digest("hex")
    .slice(0, 16);
}

/**
 * Creates a version id from the time in milliseconds and three random digits. Ids increase with time and are integers that every client can
 * represent.
 */
export const createVersionId = (nowMs: number, random: number) => nowMs * 1000 + Math.floor(random * 1000);
/** Returns the time at which a version was saved, in epoch ms. */
export const versionTimeMs = (version: number): number => Math.floor(version / 1000);

/** Returns every module of a flow, including nested modules, the failure module and the preprocessor. */
export function listAllModules(value: FlowValue): FlowModule[] {
  const beside = [value.failure_module, value.preprocessor_module].flatMap((module) => module ?? []);
  return [...listNestedModules(value.modules), ...beside];
}

/** Returns a copy of the flow without the text of its inline scripts. */
export function removeInlineCode(value: FlowValue): FlowValue {
  const copy = structuredClone(value);
  for (const { value: inline } of listAllModules(copy)) {
    if (inline.type !== "rawscript") continue;
    inline.content = "";
    delete inline.lock;
  }
  return copy;
}

/** Returns a copy of the flow in which each inline script has the lock that `locks` contains for its module. */
export function addLocks(value: FlowValue, locks: Readonly<Record<string, string>>): FlowValue {
  const copy = structuredClone(value);
  for (const { id, value: inline } of listAllModules(copy)) {
    if (inline.type === "rawscript" && Object.hasOwn(locks, id)) inline.lock = locks[id];
  }
  return copy;
}

/** Returns the `Flow` of api.md §3.2. */
export function toFlowJson(
  { sent, version, hash, createdBy, createdAtMs }: StoredFlow,
  { workspace, archived, build, errorHandlerMuted }: Pick<RunnableFlow, "workspace" | "archived" | "build" | "errorHandlerMuted">,
): FlowJson {
  const { deployment_message, preserve_on_behalf_of, skip_draft_deletion, ...fields } = sent;
  return {
    ...fields,
    ...defined({ ws_error_handler_muted: errorHandlerMuted }),
    workspace_id: workspace,
    edited_by: createdBy,
    edited_at: new Date(createdAtMs).toISOString(),
    archived,
    extra_perms: {},
    starred: false,
    version_id: version,
    hash,
    ...(build.state === "failed" ? { lock_error_logs: build.error } : {}),
  };
}

/** The fields of a flow's newest version that a run needs: read for every run. */
export const flowHeadObject = defineObject({
  name: "flow",
  partition: "FR",
  ...inWorkspaceBy<string>(),
  sort: () => "head",
  read: readWithBuild,
  schema: runnableFlowSchema,
});

export const flowVersionObject = defineObject({
  name: "version of a flow",
  partition: "FV",
  ...inWorkspaceBy<number>(),
  sort: () => "head",
  read: readWithBuild,
  schema: runnableFlowSchema,
});

/** The flow and version of a hash. */
export const flowHashObject = defineObject({
  name: "hash of a flow",
  partition: "FV",
  ...inWorkspaceBy<string>(),
  sort: () => "version",
  schema: z.object({ version: z.number() }),
});

/** The fields of a version that are too large for the items above. */
export const flowBodyObject = defineObject({
  name: "body of a flow's version",
  partition: "FV",
  ...inWorkspaceBy<number>(),
  sort: () => "body",
  schema: storedBodySchema,
});

export interface ListedFlow extends Omit<NewFlow, "value" | "schema"> {
  version: number;
  hash: string;
  createdBy: string;
  createdAtMs: number;
  archived: boolean;
}

/** The fields by which flows are selected and sorted. The others are stored as sent, after validation. */
const listedFieldsSchema = z.object({ path: z.string(), version: z.number(), createdAtMs: z.number(), archived: z.boolean() });

/** The list entry of a flow. */
export const flowListingObject = defineObject({
  name: "flow in a list",
  partition: "FL",
  ...inWorkspace,
  sort: (path: string) => path,
  schema: z.custom<ListedFlow>((value) => listedFieldsSchema.safeParse(value).success),
});

/** An entry in the history of the versions saved at a path. */
export const flowHistoryObject = defineObject({
  name: "entry in the history of a flow",
  partition: "FH",
  ...inWorkspaceBy<string>(),
  sort: (version: number) => sortableNumber(version),
  schema: z.object({
    version: z.number(),
    hash: z.string(),
    createdAtMs: z.number(),
    createdBy: z.string(),
    message: z.string().optional(),
  }),
});
