import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { newFlowSchema } from "../../contract/routes/flows/flows.ts";
import { newAppSchema } from "../../contract/routes/stored/apps.ts";
import { newScriptSchema } from "../../contract/routes/stored/script.ts";
import { scriptRoutes } from "../../contract/routes/stored/scripts.ts";
import { favoritesObject } from "../../core/console/favorites.ts";
import type { Actor } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { createFolder } from "../../services/folders/folders.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newWorldWithFolder, repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { createApp } from "../apps/save.ts";
import { saveFlow } from "../flows/definitions/save.ts";
import { archiveScript } from "../scripts/archive.ts";
import { createScript } from "../scripts/create.ts";
import { listScripts } from "../scripts/read.ts";
import { addStar, listFavorites, loadListViewer, starObject, unstarObject } from "./favorites.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
  await createFolder(world.deps, anAdmin, world.workspace, { name: "closed" } as Parameters<typeof createFolder>[3]);
});

const caller = (actor: Actor = anAdmin) => ({ actor, workspace: world.workspace });
/** Each test has another user, who may read the folder `f/t`. */
const aUser = () => ({ ...aReader(world.workspace, ["t"]), email: `${randomUUID()}@example.com` });
const code = (name: string) => expect.objectContaining({ code: name });

async function newScript(folder = "t", summary = "Says hello"): Promise<string> {
  const path = `f/${folder}/${randomUUID()}`;
  await createScript(world.deps, caller(), newScriptSchema.parse({ path, language: "bash", content: "echo 1", summary }));
  return path;
}
const star = (actor: Actor, path: string, kind: "script" | "flow" | "app" = "script") =>
  starObject(world.deps, caller(actor), { kind, path });
const list = (actor: Actor) => listFavorites(world.deps, caller(actor));

describe("the stars of a user", () => {
  it("are listed with their summaries, the last starred first, and only for this user", async () => {
    const [bob, cleo] = [aUser(), aUser()];
    const [script, flow, app] = [await newScript(), `f/t/${randomUUID()}`, `f/t/${randomUUID()}`];
    await saveFlow(world.deps, caller(), newFlowSchema.parse({ path: flow, summary: "Flows", value: { modules: [] } }));
    const value = { path: app, value: {}, summary: "Shows", policy: { execution_mode: "viewer" } };
    await createApp(world.deps, caller(), newAppSchema.parse(value));
    await star(bob, script);
    await star(bob, flow, "flow");
    await star(bob, app, "app");
    await star(bob, script);
    expect(await list(bob)).toEqual([
      { path: app, kind: "app", summary: "Shows" },
      { path: flow, kind: "flow", summary: "Flows" },
      { path: script, kind: "script", summary: "Says hello" },
    ]);
    expect(await list(cleo)).toEqual([]);
    await unstarObject(world.deps, caller(bob), { kind: "flow", path: flow });
    await unstarObject(world.deps, caller(bob), { kind: "flow", path: flow });
    expect((await list(bob)).map(({ kind }) => kind)).toEqual(["app", "script"]);
  });

  it("mark and select the scripts of a list", async () => {
    const bob = aUser();
    const [starred, other] = [await newScript(), await newScript()];
    await star(bob, starred);
    const viewer = await loadListViewer(world.deps, caller(bob), "script", scriptRoutes.listScripts.access);
    const listed = await listScripts(world.deps, world.workspace, {}, viewer);
    expect(listed.filter((script) => [starred, other].includes(script.path)).map((script) => [script.path, script.starred])).toEqual(
      expect.arrayContaining([
        [starred, true],
        [other, false],
      ]),
    );
    expect(await listScripts(world.deps, world.workspace, { starred_only: true }, viewer)).toMatchObject([{ path: starred }]);
    expect(await addStar(world.deps, caller(bob), "script", { path: starred })).toEqual({ path: starred, starred: true });
    expect(await addStar(world.deps, caller(bob), "flow", { path: starred })).toEqual({ path: starred, starred: false });
  });

  it("are unknown to a job that runs as this user", async () => {
    const bob = aUser();
    const path = await newScript();
    await star(bob, path);
    const job: Actor = { ...bob, kind: "job", jobId: "", attempt: 1, workspace: world.workspace, permissionedAs: "u/bob" };
    expect((await loadListViewer(world.deps, caller(job), "script", scriptRoutes.listScripts.access)).starred).toEqual(new Set());
  });

  it("contain only objects that exist and that the user may read", async () => {
    const bob = aUser();
    const hidden = await newScript("closed");
    await expect(star(bob, hidden)).rejects.toEqual(code("script.notFound"));
    await expect(star(bob, "f/t/none", "flow")).rejects.toEqual(code("flow.notFound"));
    await expect(star({ ...bob, scopes: ["flows:write"] }, await newScript())).rejects.toEqual(code("auth.forbidden"));
    const [archived, lost] = [await newScript(), await newScript("closed")];
    await star(bob, archived);
    await star({ ...aReader(world.workspace, ["t", "closed"]), email: bob.email }, lost);
    await archiveScript(world.deps, { ...caller(), path: archived });
    await expect(star(bob, archived)).rejects.toEqual(code("script.notFound"));
    expect(await list(bob)).toEqual([]);
  });

  it("have a maximum number", async () => {
    const bob = aUser();
    const value = Array.from({ length: limits.favorites }, (_, index) => ({ kind: "script" as const, path: `f/t/${index}` }));
    await world.deps.objects.put({ ...favoritesObject.key(world.workspace, personKey(bob.email)), value, version: "1" });
    const path = await newScript();
    await expect(star(bob, path)).rejects.toEqual(code("favorite.tooMany"));
    await unstarObject(world.deps, caller(bob), { kind: "script", path: "f/t/7" });
    await star(bob, path);
  });

  it("are all stored when two arrive at once, whichever write fails", async () => {
    const paths = [await newScript(), await newScript()];
    await expectToSurviveFaults(async () => {
      const bob = aUser();
      const act = () => Promise.all(paths.map((path) => star(bob, path)));
      return {
        act,
        recover: () => repeat(act, ["favorite.changedMeanwhile"]),
        check: async () => expect((await list(bob)).map(({ path }) => path).sort()).toEqual(paths.toSorted()),
      };
    });
  });
});
