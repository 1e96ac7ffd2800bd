import { bad, closed, field, found, good, type Steps, work } from "../exchange.ts";
import { aScript } from "./objects-in-use.ts";

const path = "f/t/flow";
const none = { path: "f/t/none" };
const value = { modules: [{ id: "a", value: { type: "script", path: "f/t/script" } }] };
const noVersion = { version: 1 };

export const flows: Steps = [
  ...aScript,
  good("createFlow", { json: { path, summary: "Runs the script", description: "In one step", value, schema: { type: "object" } } }),
  bad("createFlow", { json: { path, summary: "", value } }),
  bad("createFlow", { json: { path: "f/t/other", summary: "", value: { modules: [{ id: "a" }] } } }),
  work,
  ...found("getFlow", { path }, none, { keep: { version: field("version_id") } }),
  ...found("updateFlow", { path }, none, { json: { path, summary: "Changed", value, deployment_message: "The second one" } }),
  work,
  ...closed("listFlows"),
  good("listFlows", { query: { without_description: true } }),
  bad("listFlows", { query: { per_page: "many" } }),
  ...closed("listFlowPaths"),
  ...closed("searchFlows"),
  ...found("getFlowVersion", { version: "<version>" }, noVersion),
  ...closed("existsFlow", { params: { path } }),
  good("existsFlow", { params: none }),
  ...found("flowHistory", { path }, none),
  ...found("latestFlowVersion", { path }, none),
  ...found("updateFlowHistory", { version: "<version>" }, noVersion, { json: { deployment_msg: "The first one" } }),
  ...found("flowDeploymentStatus", { path }, none),
  ...found("flowMachineAtVersion", { version: "<version>" }, noVersion),
  ...found("flowMachine", { path }, none),
  ...found("flowWebhooks", { path }, none),
  ...found("listFlowTokens", { path }, none),
  ...found("countFlowTriggers", { path }, none),
  ...found("muteFlowErrorHandler", { path }, none, { json: { muted: true } }),
  ...found("editFlowFailureNotice", { path }, none, { json: { email: ["g/all"] } }),
  bad("editFlowFailureNotice", { params: { path }, json: { email: "g/all" } }),
  ...found("getFlowFailureNotice", { path }, none),
  ...found("archiveFlow", { path }, none, { json: { archived: true } }),
  good("archiveFlow", { params: { path }, json: { archived: false } }),
  bad("archiveFlow", { params: { path }, json: { archived: "yes" } }),
  ...closed("deleteFlow", { params: { path } }),
];
