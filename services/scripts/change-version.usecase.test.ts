import { beforeAll, describe, expect, it } from "vitest";
import { newScriptSchema } from "../../contract/routes/stored/script.ts";
import { scriptRoutes as routes } from "../../contract/routes/stored/scripts.ts";
import type { Actor } from "../../core/people/actor.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { createPathFilter } from "../identity/permit.ts";
import { createToken, listRunTokens } from "../identity/tokens/tokens.ts";
import { muteScriptErrorHandler, setScriptMessage } from "./change-version.ts";
import { createScript } from "./create.ts";
import { getScript, listScriptHistory, listScripts, searchScripts } from "./read.ts";

const path = "f/t/hello";
const sent = { path, language: "bun", content: "export function main() { return 1; }", summary: "", deployment_message: "first" };

let world: World;
let hash: string;
beforeAll(async () => {
  world = await newWorldWithFolder();
  hash = await save();
});
const everything = { readable: () => true, starred: new Set<string>() };
const caller = () => ({ actor: anAdmin, workspace: world.workspace });
const save = (more: object = {}) =>
  createScript(world.deps, caller(), newScriptSchema.parse({ ...sent, auto_parent: true, ...more }), { skipIfNoop: true });

it("the deployment message of a version can be changed and removed, and the list shows the message of the newest version", async () => {
  const change = (message: string, target: object = {}, actor = anAdmin) =>
    setScriptMessage(
      world.deps,
      { actor, workspace: world.workspace, action: routes.updateScriptHistory },
      { hash, path, message, ...target },
    );
  const messages = async () => {
    const listed = await listScripts(world.deps, world.workspace, { with_deployment_msg: true }, everything);
    return [(await listScriptHistory(world.deps, world.workspace, path))[0]?.deployment_msg, listed[0]?.deployment_msg];
  };
  expect(await messages()).toEqual(["first", "first"]);
  await change("now");
  expect(await messages()).toEqual(["now", "now"]);
  await change("");
  expect(await messages()).toEqual([undefined, undefined]);
  const hidden = { code: "script.versionNotFound" };
  await expect(change("x", { path: "f/t/other" })).rejects.toMatchObject(hidden);
  await expect(change("x", { hash: "0123456789abcdef" })).rejects.toMatchObject(hidden);
  await expect(change("x", {}, aReader(world.workspace, []))).rejects.toMatchObject(hidden);
  await expect(change("x", {}, aReader(world.workspace, ["t"]))).rejects.toMatchObject({ code: "auth.forbidden" });
});

it("muting the error handler of a script changes its newest version, its list entry and the comparison of later saves", async () => {
  const isMuted = async () => {
    const [listed] = await listScripts(world.deps, world.workspace, {}, everything);
    const script = await getScript(world.deps, world.workspace, path);
    expect(listed?.ws_error_handler_muted).toBe(script.ws_error_handler_muted);
    return [script.ws_error_handler_muted, script.hash === hash];
  };
  const mute = (muted: boolean) => muteScriptErrorHandler(world.deps, { ...caller(), path }, muted);
  expect(await isMuted()).toEqual([false, true]);
  await mute(true);
  expect(await isMuted()).toEqual([true, true]);
  expect(await save({ ws_error_handler_muted: true })).toBe(hash);
  await mute(false);
  expect(await isMuted()).toEqual([false, true]);
  await expect(muteScriptErrorHandler(world.deps, { ...caller(), path: "f/t/none" }, true)).rejects.toMatchObject({
    code: "script.notFound",
  });
});

describe("the lists about scripts", () => {
  it("the search returns the contents of the scripts that the caller may read", async () => {
    const search = (actor: typeof anAdmin) =>
      searchScripts(world.deps, world.workspace, createPathFilter({ actor, workspace: world.workspace }, routes.searchScripts.access));
    expect(await search(aReader(world.workspace, ["t"]))).toEqual([{ path, content: sent.content }]);
    expect(await search(aReader(world.workspace, []))).toEqual([]);
  });

  it("the list of a script's tokens contains the caller's tokens with a scope that names its path", async () => {
    const owner = { ...anAdmin, email: "cleo@example.com" };
    const scopes = [
      ["jobs:run:scripts:f/t/hello"],
      ["jobs:run:scripts:f/t/*", "jobs:read"],
      ["jobs:run:scripts:f/t/hello2"],
      ["jobs:run:scripts"],
      ["jobs:run:flows:f/t/hello"],
      ["scripts:read:f/t/hello"],
    ];
    for (const [index, each] of scopes.entries()) await createToken(world.deps, owner, { label: `${index}`, scopes: each });
    await createToken(world.deps, owner, { label: "elsewhere", scopes: ["jobs:run:scripts:f/t/hello"], workspace_id: "elsewhere" });
    await createToken(world.deps, owner, { label: "whole" });
    const labels = async (actor: Actor, runs: "scripts" | "flows") =>
      (await listRunTokens(world.deps, { actor, workspace: world.workspace }, { runs, path })).map(({ label }) => label).sort();
    expect(await labels(owner, "scripts")).toEqual(["0", "1"]);
    expect(await labels(owner, "flows")).toEqual(["4"]);
    expect(await labels(anAdmin, "scripts")).toEqual([]);
    // No scope covers tokens, and a job cannot list them.
    expect(await labels({ ...owner, scopes: ["scripts:read"] }, "scripts")).toEqual([]);
    const { email, username, superAdmin, rights } = owner;
    const job = { kind: "job", jobId: "j", attempt: 1, workspace: world.workspace, permissionedAs: "u/cleo" } as const;
    expect(await labels({ email, username, superAdmin, ...(rights ? { rights } : {}), ...job }, "scripts")).toEqual([]);
  });
});
