import { bad, closed, field, found, good, type Steps } from "../exchange.ts";

const path = "f/t/app";
const none = { path: "f/t/none" };
const policy = { execution_mode: "viewer" };

const apps: Steps = [
  good("createApp", { json: { path, value: { grid: [] }, summary: "Shows", policy, custom_path: "shows", labels: ["l"] } }),
  bad("createApp", { json: { path, value: {}, summary: "", policy } }),
  bad("createApp", { json: { path: "f/t/other", value: {}, summary: "", policy: {} } }),
  bad("createApp", { json: { path: "f/t/other", value: {}, summary: "", policy, custom_path: "shows" } }),
  ...found("updateApp", { path }, none, {
    json: { value: { grid: [1] }, policy, deployment_message: "The second one" },
    keep: { version: field("version") },
  }),
  ...closed("listApps"),
  ...closed("existsApp", { params: { path } }),
  good("existsApp", { params: none }),
  ...found("getApp", { path }, none),
  ...found("getAppVersion", { version: "<version>" }, { version: 1 }),
  ...found("appHistory", { path }, none),
];

const drafts: Steps = [
  good("updateDraft", { params: { kind: "app", path }, json: { value: { grid: [2] } } }),
  bad("updateDraft", { params: { kind: "app", path }, json: { value: 1, last_sync: "2001-01-01T00:00:00Z" } }),
  bad("updateDraft", { params: { kind: "table", path }, json: { value: 1 } }),
  ...found("getDraft", { kind: "app", path }, { kind: "script", path }),
  ...closed("listDrafts"),
  good("updateDraft", { params: { kind: "app", path }, json: {} }),
];

const list = { language: "python3", content: "requests==2.32.0\n", description: "Packages", name: "web" };
const dependencies: Steps = [
  good("createDependencies", { json: list }),
  good("createDependencies", { json: { ...list, content: "requests==2.32.1\n" } }),
  bad("createDependencies", { json: { ...list, language: "cobol" } }),
  ...closed("listDependencies"),
  good("getLatestDependencies", { params: { language: "python3" }, query: { name: "web" } }),
  bad("getLatestDependencies", { params: { language: "cobol" } }),
  good("archiveDependencies", { params: { language: "python3" }, query: { name: "web" } }),
  bad("archiveDependencies", { params: { language: "python3" }, query: { name: "none" } }),
  good("createDependencies", { json: list }),
  good("deleteDependencies", { params: { language: "python3" }, query: { name: "web" } }),
  bad("deleteDependencies", { params: { language: "python3" }, query: { name: "none" } }),
];

const archive: Steps = [
  good("createVariable", { json: { path: "f/t/plain", value: "v", is_secret: false }, alone: true }),
  ...closed("archive", { query: { archive_type: "tar", include_settings: true, include_groups: true, include_users: true } }),
  bad("archive", { query: { archive_type: "rar" } }),
  ...closed("deleteApp", { params: { path } }),
];

/** Apps, drafts, lists of packages, and the archive of a workspace. */
export const stored: Steps = [good("createFolder", { json: { name: "t" } }), ...apps, ...drafts, ...dependencies, ...archive];
