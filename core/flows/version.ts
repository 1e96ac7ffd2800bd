import { createHash } from "node:crypto";
import * as z from "zod";
import { type FlowModule, type FlowValue, keptFlowSchema } from "../../contract/flows/flow-value.ts";
import { runnerLanguages } from "../../contract/languages.ts";
import type { FlowJson, NewFlow } from "../../contract/routes/flows/flows.ts";
import { concurrencyRuleSchema } from "../jobs/concurrency.ts";
import { listNestedModules } from "./scopes.ts";

/** How far a flow's inline scripts and its state machine are. */
export const flowBuildSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("pending"), job: z.string() }),
  /** `plan`: its key in the bucket. `stateMachine`: its name; release 0.1 wrote another field, so that flows which it built get a new machine. */
  z.object({ state: z.literal("ready"), job: z.string(), plan: z.string(), stateMachine: z.string().optional() }),
  z.object({ state: z.literal("failed"), job: z.string(), error: z.string() }),
]);
export type FlowBuild = z.infer<typeof flowBuildSchema>;

/** What starting a flow needs to know: read for every run. */
export const runnableFlowSchema = z.object({
  workspace: z.string(),
  path: z.string(),
  version: z.number(),
  hash: z.string(),
  build: flowBuildSchema,
  timeoutS: z.number().optional(),
  tag: z.string(),
  priority: z.number().optional(),
  concurrency: concurrencyRuleSchema.optional(),
  onBehalfOf: z.object({ email: z.string(), permissionedAs: z.string() }).optional(),
  deleteAfterS: z.number().optional(),
  preprocessor: z.boolean().optional(),
  archived: z.boolean(),
});
export type RunnableFlow = z.infer<typeof runnableFlowSchema>;

/** Everything of a version that does not change after it was saved. */
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
  paramTypes: z.record(z.string(), z.enum(["date", "bytes"])).optional(),
});
/** What running a flow reads: the flow without its inline code, and what that was built to, by module. */
export const flowPlanSchema = z.object({ value: keptFlowSchema, scripts: z.record(z.string(), builtScriptSchema) });
export type FlowPlan = z.infer<typeof flowPlanSchema>;

/** What function `flows` is asked for: the state machine of a flow at a path. */
export const machineRequestSchema = z.object({ workspace: z.string(), path: z.string(), value: keptFlowSchema });
export type MachineRequest = z.infer<typeof machineRequestSchema>;
/** The machine's name; or why there can be none, as a sentence for whoever made the flow. */
export type MachineAnswer = { machine: string } | { refused: string };

/** 16 hex digits over workspace, path, version and what was sent. */
export function computeFlowHash(workspace: string, version: number, sent: NewFlow): string {
  return createHash("sha256")
    .update(JSON.stringify([workspace, version, sent]))
    .digest("hex")
    .slice(0, 16);
}

/** Ids grow with time, so that the newest version is the largest, and are whole in every client: milliseconds and three random digits. */
export const createVersionId = (nowMs: number, random: number) => nowMs * 1000 + Math.floor(random * 1000);

/** Every module of a flow, those inside of others and beside them too. */
export function listAllModules(value: FlowValue): FlowModule[] {
  const beside = [value.failure_module, value.preprocessor_module].flatMap((module) => module ?? []);
  return [...listNestedModules(value.modules), ...beside];
}

/** The flow without the text of its inline scripts. */
export function removeInlineCode(value: FlowValue): FlowValue {
  const copy = structuredClone(value);
  for (const { value: inline } of listAllModules(copy)) {
    if (inline.type !== "rawscript") continue;
    inline.content = "";
    delete inline.lock;
  }
  return copy;
}

/** The Flow of api.md §3.2. */
export function toFlowJson(
  { sent, version, hash, createdBy, createdAtMs }: StoredFlow,
  { workspace, archived, build }: RunnableFlow,
): FlowJson {
  const { deployment_message, preserve_on_behalf_of, skip_draft_deletion, ...fields } = sent;
  return {
    ...fields,
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
