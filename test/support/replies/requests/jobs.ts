import { bad, closed, field, found, good, type Stage, type Steps, whole, work } from "../exchange.ts";
import { aScript } from "./objects-in-use.ts";

const path = "f/t/script";
const none = { id: "00000000-0000-4000-8000-000000000000" };
const ended = { id: "<ended>" };
const waiting = { id: "<waiting>" };
const later = { params: { path }, query: { scheduled_in_secs: 3600 }, json: { x: 2 }, alone: true } as const;

/** The next run is lost: its job stays in the state `running`. */
async function startRunning({ world, work }: Stage): Promise<void> {
  const { run } = world.answers;
  world.answers.run = async () => ({ kind: "unknown", reason: "The connection broke." });
  await work();
  world.answers.run = run;
}

const state: Steps = [
  ...aScript,
  good("runScriptByPath", { params: { path }, json: { x: 1 }, keep: { ended: whole }, alone: true }),
  work,
  good("runScriptByPath", { ...later, keep: { waiting: whole } }),
  good("runScriptByPath", { params: { path }, json: { x: 3 }, keep: { running: whole }, alone: true }),
  startRunning,
  good("createFlow", {
    json: {
      path: "f/t/flow",
      summary: "",
      value: { modules: [{ id: "a", value: { type: "script", path, input_transforms: { x: { type: "static", value: 7 } } } }] },
    },
    alone: true,
  }),
  work,
  good("runFlowByPath", { params: { path: "f/t/flow" }, json: {}, keep: { flow: whole }, alone: true }),
  work,
  good("runFlowPreview", {
    json: { value: { modules: [{ id: "ask", value: { type: "identity" }, suspend: { required_events: 1 } }] } },
    keep: { asking: whole },
    alone: true,
  }),
  work,
];

const reads: Steps = [
  ...found("getJob", ended, none),
  good("getJob", { params: waiting }),
  good("getJob", { params: { id: "<flow>" } }),
  bad("getJob", { params: { id: "none" } }),
  ...found("getRootJobId", ended, none),
  ...found("getLogs", ended, none),
  ...found("getFlowLogs", { id: "<flow>" }, none),
  ...found("getArgs", ended, none),
  ...found("getCompletedJob", ended, none),
  bad("getCompletedJob", { params: waiting }),
  ...found("getResult", ended, none),
  ...found("getResultMaybe", waiting, none),
  good("getResultMaybe", { params: ended, query: { get_started: true } }),
  ...found("getStepResult", { id: "<flow>", node: "a" }, { id: "<flow>", node: "none" }),
  ...found("getTiming", ended, none),
  ...found("getCost", { id: "<flow>" }, none),
  good("getScriptCost", { params: { path } }),
  bad("getScriptCost", { params: { path: "f/none/x" } }),
  good("getFlowCost", { params: { path: "f/t/flow" } }),
  bad("getFlowCost", { params: { path: "f/none/x" } }),
  ...found("getFlowOutline", { id: "<flow>" }, none),
  bad("getFlowOutline", { params: { id: "<flow>" }, query: { under: "none/1" } }),
  ...found("getUpdate", ended, none, { query: { running: false } }),
  ...found("getScheduledFor", waiting, none),
  ...closed("startedAtByIds", { json: ["<ended>", "<waiting>", none.id] }),
  bad("startedAtByIds", { json: ["none"] }),
  ...found("setProgress", { id: "<running>" }, none, { json: { percent: 40 } }),
  bad("setProgress", { params: { id: "<running>" }, json: { percent: 400 } }),
  ...found("getProgress", { id: "<running>" }, none),
  ...found("workerIsDraining", { id: "<running>" }, none),
  ...found("setUserState", { id: "<asking>", key: "seen" }, { ...none, key: "seen" }, { json: { at: 3 } }),
  ...found("getUserState", { id: "<asking>", key: "seen" }, { ...none, key: "seen" }),
  ...closed("dbClock"),
  ...closed("listWorkers"),
];

const lists: Steps = [
  ...closed("listJobs"),
  good("listJobs", { query: { script_path_exact: path, per_page: 1 } }),
  bad("listJobs", { query: { created_before: "yesterday" } }),
  ...closed("listQueue"),
  good("getStats", { query: { script_path_exact: path, bucket: 60 } }),
  bad("getStats", { query: { bucket: 1, created_after: "2030-05-06T07:08:09Z" } }),
  ...closed("listCompleted"),
  good("listCompleted", { query: { success: false } }),
  good("listCompleted", { query: { include_preview: true } }),
  ...closed("listFilteredUuids"),
  ...closed("listQueueUuids"),
  ...closed("countQueue"),
  ...closed("queuePosition", { params: { scheduled_for_ms: Date.UTC(2031, 5, 1) } }),
  bad("queuePosition", { params: { scheduled_for_ms: -1 } }),
  ...closed("countCompleted"),
  ...closed("countCompletedJobs"),
  bad("countCompletedJobs", { query: { completed_after_s_ago: "long" } }),
];

const control: Steps = [
  ...found("runNow", waiting, none),
  bad("runNow", { params: ended }),
  work,
  good("runScriptByPath", { ...later, keep: { waiting: whole } }),
  ...found("cancelJob", waiting, none, { json: { reason: "Not needed" } }),
  bad("cancelJob", { params: ended, json: {} }),
  good("runScriptByPath", { ...later, keep: { waiting: whole } }),
  ...closed("cancelSelection", { json: ["<waiting>", "<ended>"] }),
  bad("cancelSelection", { json: "<waiting>" }),
  good("runScriptByPath", { ...later, keep: { waiting: whole } }),
  ...closed("cancelPersistent", { params: { path }, json: { reason: "All of them" } }),
  ...found("forceCancelJob", { id: "<running>" }, none, { json: {} }),
  ...found("deleteCompleted", ended, none),
  good("getJob", { params: ended }),
];

const ofScript = { runnable_id: path, runnable_type: "ScriptPath" };
const inputs: Steps = [
  ...closed("inputHistory", { query: ofScript }),
  bad("inputHistory", { query: { ...ofScript, runnable_id: "f/t/none", runnable_type: "Flow" } }),
  good("createInput", { query: ofScript, json: { name: "First", args: { x: 5 } }, keep: { input: whole } }),
  bad("createInput", { query: { ...ofScript, runnable_id: "f/t/none" }, json: { name: "First", args: { x: 5 } } }),
  good("updateInput", { json: { id: "<input>", name: "For all", is_public: true } }),
  bad("updateInput", { json: { ...none, name: "For all", is_public: true } }),
  ...closed("listInputs", { query: ofScript }),
  good("getInputArgs", { params: { id: "<input>" }, query: { input: true } }),
  ...found("getInputArgs", waiting, none),
  ...found("deleteInput", { id: "<input>" }, none),
];

const link = { expires_in_s: 3600, with_args: true };
/** The address of a link ends with its token. */
const tokenOfLink = (body: string) => (JSON.parse(body) as { url: string }).url.replace(/^.*\//, "");
const shares: Steps = [
  good("shareJob", { params: ended, json: link, keep: { share: field("id"), shareToken: tokenOfLink } }),
  bad("shareJob", { params: none, json: link }),
  bad("shareJob", { params: ended, json: { expires_in_s: 8 * 24 * 3600 } }),
  good("getSharedJob", { params: { token: "<shareToken>" }, from: "nobody" }),
  good("shareJob", { params: { id: "<flow>" }, json: { expires_in_s: 60 }, keep: { flowToken: tokenOfLink }, alone: true }),
  good("getSharedJob", { params: { token: "<flowToken>" }, from: "nobody" }),
  ...found("listShares", ended, none),
  ...found("revokeShare", { ...ended, share: "<share>" }, { ...ended, share: none.id }),
  bad("getSharedJob", { params: { token: "<shareToken>" }, from: "nobody" }),
];

const bulk: Steps = [
  good("runScriptByPath", { params: { path }, json: { x: 1 }, keep: { ended: whole }, alone: true }),
  work,
  good("startBulk", { json: { action: "rerun", ids: [ended.id], args: { x: 8 } }, keep: { bulk: field("bulk_id") }, alone: true }),
  bad("startBulk", { json: { action: "cancel", ids: [ended.id], filter: {} } }),
  good("getBulk", { params: { bulk_id: "<bulk>" } }),
  work,
  ...found("getBulk", { bulk_id: "<bulk>" }, { bulk_id: none.id }),
  good("startBulk", { json: { action: "cancel", filter: { created_by: "nobody" } }, keep: { bulk: field("bulk_id") }, alone: true }),
  ...found("stopBulk", { bulk_id: "<bulk>" }, { bulk_id: none.id }),
  work,
];

export const jobs: Steps = [...state, ...reads, ...lists, ...inputs, ...shares, ...control, ...bulk];
