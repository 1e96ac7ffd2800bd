import { bad, field, found, good, type Steps, whole, work } from "../exchange.ts";
import { aScript } from "./objects-in-use.ts";

const path = "f/t/script";
const none = { path: "f/t/none" };
const noHash = { hash: "0123456789abcdef" };
const noJob = "00000000-0000-4000-8000-000000000000";
const json = { x: 1 };
const payload = Buffer.from(JSON.stringify(json)).toString("base64url");
const flow = { path: "f/t/flow" };

/** Streams of events. Each is read to its end. */
export const streams: Steps = [
  ...aScript,
  good("createFlow", {
    json: {
      ...flow,
      summary: "",
      value: { modules: [{ id: "a", value: { type: "script", path, input_transforms: { x: { type: "static", value: 7 } } } }] },
    },
    alone: true,
  }),
  work,
  good("getFlow", { params: flow, keep: { version: field("version_id") }, alone: true }),
  ...found("streamScriptByPath", { path }, none, { json, works: true }),
  ...found("streamScriptByPathGet", { path }, none, { query: { payload }, works: true }),
  ...found("streamScriptByHash", { hash: "<hash>" }, noHash, { json, works: true }),
  ...found("streamScriptByHashGet", { hash: "<hash>" }, noHash, { query: { payload }, works: true }),
  ...found("streamFlowByPath", flow, none, { json, works: true }),
  ...found("streamFlowByPathGet", flow, none, { query: { payload }, works: true }),
  ...found("streamFlowByVersion", { version: "<version>" }, { version: 1 }, { json, works: true }),
  ...found("streamFlowByVersionGet", { version: "<version>" }, { version: 1 }, { query: { payload }, works: true }),
  bad("streamScriptByPathGet", { params: { path }, query: { payload: "?" } }),
  good("runScriptByPath", { params: { path }, json, keep: { job: whole }, alone: true }),
  work,
  ...found("updateStream", { id: "<job>" }, { id: noJob }),
  good("updateStream", { params: { id: "<job>" }, query: { only_result: true } }),
  ...found("updateStreamAlias", { id: "<job>" }, { id: noJob }),
];
