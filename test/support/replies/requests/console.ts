import { bad, closed, good, type Steps } from "../exchange.ts";

const path = "f/t/starred";
const script = { path, language: "bash", content: "echo 1", summary: "Says 1" };

const favorites: Steps = [
  good("createScript", { json: script, alone: true }),
  good("starObject", { json: { path, favorite_kind: "script" } }),
  bad("starObject", { json: { path: "f/t/none", favorite_kind: "app" } }),
  bad("starObject", { json: { path, favorite_kind: "table" } }),
  ...closed("listFavorites"),
  good("listScripts", { query: { starred_only: true }, alone: true }),
  good("getScriptByPath", { params: { path }, query: { with_starred_info: true }, alone: true }),
  good("unstarObject", { json: { path, favorite_kind: "script" } }),
  bad("unstarObject", { json: { path } }),
];

/** What users store for their work in the console. */
export const consoleRequests: Steps = [good("createFolder", { json: { name: "t" } }), ...favorites];
