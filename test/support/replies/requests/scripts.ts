import { bad, closed, found, good, type Steps, whole, work } from "../exchange.ts";
import { aScript } from "./objects-in-use.ts";

const path = "f/t/script";
const none = { path: "f/t/none" };
const saved = { path, summary: "Says more", language: "bash", content: "echo more" };
const noHash = "0123456789abcdef";
const form = (script: string) =>
  [
    "--form",
    'Content-Disposition: form-data; name="script"',
    "",
    script,
    "--form",
    'Content-Disposition: form-data; name="file"; filename="bundle.js"',
    "",
    "exports.main = () => 1;",
    "--form--",
    "",
  ].join("\r\n");
const asForm = { "Content-Type": "multipart/form-data; boundary=form" };

export const scripts: Steps = [
  ...aScript,
  bad("createScript", { json: { path, summary: "Another", language: "bash", content: "" } }),
  bad("createScript", { json: { path: "f/t/cobol", summary: "", language: "cobol", content: "" } }),
  bad("createScript", { json: { path: "f/none/script", summary: "", language: "bash", content: "" } }),
  ...found("updateScript", { path }, none, { json: saved, keep: { second: whole } }),
  work,
  good("createSnapshot", {
    headers: asForm,
    text: form(
      JSON.stringify({ path: "f/t/bundle", summary: "", language: "bun", content: "export const main = () => 1;", kind: "script" }),
    ),
  }),
  bad("createSnapshot", { headers: asForm, text: form("{") }),
  work,
  ...closed("listScripts"),
  good("listScripts", { query: { path_exact: path, with_deployment_msg: true } }),
  bad("listScripts", { query: { page: -1 } }),
  ...closed("listScriptPaths"),
  ...closed("searchScripts"),
  ...found("getScriptByPath", { path }, none),
  ...found("getScriptByHash", { hash: "<hash>" }, { hash: noHash }),
  bad("getScriptByHash", { params: { hash: "none" } }),
  ...found("rawScriptByPath", { path: `${path}.sh` }, { path: "f/t/none.sh" }),
  ...found("rawScriptByHash", { path: "<hash>.sh" }, { path: `${noHash}.sh` }),
  ...closed("existsScript", { params: { path } }),
  good("existsScript", { params: none }),
  ...found("scriptHistory", { path }, none),
  ...found(
    "updateScriptHistory",
    { hash: "<hash>", script_path: path },
    { hash: noHash, script_path: path },
    { json: { deployment_msg: "The first one" } },
  ),
  ...found("latestVersion", { path }, none),
  ...found("deploymentStatus", { hash: "<second>" }, { hash: noHash }),
  ...found("scriptDeclarations", { hash: "<hash>" }, { hash: noHash }),
  good("sourceDeclarations", { params: { sha256: "0".repeat(64) } }),
  bad("sourceDeclarations", { params: { sha256: "none" } }),
  ...found("scriptWebhooks", { path }, none),
  ...found("listScriptTokens", { path }, none),
  ...found("countScriptTriggers", { path }, none),
  ...found("muteScriptErrorHandler", { path }, none, { json: { muted: true } }),
  ...found("editScriptFailureNotice", { path }, none, { json: { email: ["g/all"], on_recovery: true } }),
  bad("editScriptFailureNotice", { params: { path }, json: { email: ["nobody"] } }),
  ...found("getScriptFailureNotice", { path }, none),
  good("storeTempScript", { json: "echo draft", keep: { temporary: whole } }),
  bad("storeTempScript", { json: 1 }),
  ...closed("diffScripts", { json: { scripts: { [path]: "<temporary>", "f/t/new": "<temporary>" } } }),
  bad("diffScripts", { json: { scripts: { [path]: "short" } } }),
  ...found("archiveScriptByHash", { hash: "<second>" }, { hash: noHash }),
  ...found("deleteScriptByHash", { hash: "<hash>" }, { hash: noHash }),
  ...found("archiveScriptByPath", { path: "f/t/bundle" }, none),
  good("listScripts", { query: { show_archived: true } }),
  ...found("deleteScriptByPath", { path }, none),
];
