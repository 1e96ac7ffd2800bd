import { bad, field, found, good, type Steps, whole, work } from "../exchange.ts";
import { aScript } from "./objects-in-use.ts";

const path = "f/t/script";
const none = { path: "f/t/none" };
const noHash = { hash: "0123456789abcdef" };
const noJob = "00000000-0000-4000-8000-000000000000";
const json = { x: 1 };
const payload = Buffer.from(JSON.stringify(json)).toString("base64url");
const preview = { language: "bash", content: "echo done", args: { x: 5 } };
const value = { modules: [{ id: "a", value: { type: "script", path, input_transforms: { x: { type: "static", value: 7 } } } }] };
const bundle = [
  "--form",
  'Content-Disposition: form-data; name="preview"',
  "",
  JSON.stringify({ language: "bun", kind: "bundle", args: { x: 5 } }),
  "--form",
  'Content-Disposition: form-data; name="file"; filename="bundle.js"',
  "",
  "exports.main = () => 1;",
  "--form--",
  "",
].join("\r\n");
const asForm = { "Content-Type": "multipart/form-data; boundary=form" };

const ofScripts: Steps = [
  ...found("runScriptByPath", { path }, none, { json, keep: { job: whole } }),
  work,
  good("runScriptByPath", { params: { path }, json, headers: { "Idempotency-Key": "once" } }),
  good("runScriptByPath", { params: { path }, json, headers: { "Idempotency-Key": "once" } }),
  bad("runScriptByPath", { params: { path }, json: { x: 2 }, headers: { "Idempotency-Key": "once" } }),
  bad("runScriptByPath", { params: { path }, json, query: { job_id: "<job>" } }),
  bad("runScriptByPath", { params: { path }, json, query: { scheduled_in_secs: -1 } }),
  good("runScriptByPath", { params: { path }, json, query: { unknown: 1 } }),
  ...found("runScriptByHash", { hash: "<hash>" }, noHash, { json }),
  good("runPreview", { json: preview }),
  bad("runPreview", { json: { content: "" } }),
  good("runPreviewBundle", { headers: asForm, text: bundle }),
  bad("runPreviewBundle", { headers: asForm, text: "--form--\r\n" }),
  ...found("runWaitScriptByPath", { path }, none, { json }),
  ...found("runWaitScriptByHash", { hash: "<hash>" }, noHash, { json }),
  ...found("runWaitScriptByPathGet", { path }, none, { query: { payload } }),
  bad("runWaitScriptByPathGet", { params: { path }, query: { payload: "?" } }),
  ...found("runWaitScriptByHashGet", { hash: "<hash>" }, noHash, { query: { payload } }),
  good("runWaitPreview", { json: preview, works: true }),
  bad("runWaitPreview", { json: {} }),
  ...found("runInlineByPath", { path }, none, { json: { args: json } }),
  bad("runInlineByPath", { params: { path }, json: { args: 1 } }),
  ...found("runInlineByHash", { hash: "<hash>" }, noHash, { json: { args: json } }),
  good("runInlinePreview", { json: preview, works: true }),
  bad("runInlinePreview", { json: { ...preview, language: "cobol" } }),
  good("rerunJobs", { json: { job_ids: ["<job>", noJob] } }),
  bad("rerunJobs", { json: { job_ids: ["none"] } }),
  work,
];

const list = { raw_scripts: [{ raw_code: "import requests\ndef main():\n  pass\n", language: "python3", path: "f/t/python" }] };
const ofPackages: Steps = [
  good("runDependencies", { json: list, works: true }),
  bad("runDependencies", { json: { raw_scripts: [] } }),
  good("runDependenciesAsync", { json: list }),
  bad("runDependenciesAsync", { json: { raw_scripts: [] } }),
  good("runFlowDependenciesAsync", { json: { path: "f/t/flow", flow_value: value } }),
  bad("runFlowDependenciesAsync", { json: { flow_value: 1 } }),
  work,
];

const flow = { path: "f/t/flow" };
const noVersion = { version: 1 };
const ofFlows: Steps = [
  good("createFlow", { json: { ...flow, summary: "", value }, alone: true }),
  work,
  good("getFlow", { params: flow, keep: { version: field("version_id") }, alone: true }),
  ...found("runFlowByPath", flow, none, { json, keep: { flow: whole } }),
  ...found("runFlowByVersion", { version: "<version>" }, noVersion, { json }),
  work,
  good("runFlowPreview", { json: { value, args: json } }),
  bad("runFlowPreview", { json: { args: json } }),
  ...found("restartFlow", { id: "<flow>" }, { id: noJob }, { json: { step_id: "a" } }),
  bad("restartFlow", { params: { id: "<flow>" }, json: { step_id: "none" } }),
  bad("restartFlow", { params: { id: "<job>" }, json: { step_id: "a" } }),
  work,
  ...found("runWaitFlowByPath", flow, none, { json, works: true }),
  ...found("runWaitFlowByVersion", { version: "<version>" }, noVersion, { json, works: true }),
  ...found("runWaitFlowByPathGet", flow, none, { query: { payload }, works: true }),
  ...found("runWaitFlowByVersionGet", { version: "<version>" }, noVersion, { query: { payload }, works: true }),
  good("runWaitFlowPreview", { json: { value }, works: true }),
  bad("runWaitFlowPreview", { json: { value: { modules: 1 } } }),
];

/** Runs of scripts, of flows, and of what resolves packages. */
export const runs: Steps = [...aScript, ...ofScripts, ...ofPackages, ...ofFlows];
