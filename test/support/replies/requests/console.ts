import { bad, closed, good, type Steps, whole } from "../exchange.ts";

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

const view = { name: "Failed", shared: true, query: { status: "failure" } };
const views: Steps = [
  good("createView", { json: view, keep: { view: whole } }),
  bad("createView", { json: { ...view, query: { Status: "failure" } } }),
  ...closed("listViews"),
  good("updateView", { params: { id: "<view>" }, json: { shared: false } }),
  bad("updateView", { params: { id: "<view>" }, json: { name: "" } }),
  good("deleteView", { params: { id: "<view>" } }),
  bad("deleteView", { params: { id: "<view>" } }),
];

const preferences: Steps = [
  good("editPreferences", { json: { theme: "dark", timezone: "Europe/Berlin" } }),
  bad("editPreferences", { json: { timezone: "Mars/Base" } }),
  ...closed("getPreferences"),
];

const search: Steps = [
  ...closed("search", { query: { q: "says 1" } }),
  good("search", { query: { q: "echo 1", kinds: "script,flow" } }),
  good("search", { query: { per_page: 1 } }),
  bad("search", { query: { q: "x" } }),
  bad("search", { query: { q: "echo", kinds: "table" } }),
];

const mentions: Steps = [
  ...closed("listMentions", { params: { kind: "script", path } }),
  bad("listMentions", { params: { kind: "variable", path: "f/t/none" } }),
  bad("listMentions", { params: { kind: "table", path } }),
];

/** Stars, views and preferences of users, the search, and what uses an object. */
export const consoleRequests: Steps = [
  good("createFolder", { json: { name: "t" } }),
  ...favorites,
  ...views,
  ...preferences,
  ...search,
  ...mentions,
];
