import { beforeAll, describe, expect, it } from "vitest";
import { newScriptSchema } from "../../contract/routes/stored/script.ts";
import { scriptRoutes as routes } from "../../contract/routes/stored/scripts.ts";
import type { Person } from "../../core/people/actor.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { changeAcl } from "../workspaces/acls.ts";
import { archiveScriptVersion, deleteScriptVersion } from "./archive.ts";
import { createScript } from "./create.ts";
import { getRawScriptVersion, getScript, getScriptDeploymentStatus, getScriptVersion } from "./read.ts";

const path = "f/t/hello";
const content = "export function main() { return 1; }";

let world: World;
let hash: string;
beforeAll(async () => {
  world = await newWorldWithFolder();
  const script = newScriptSchema.parse({ path, language: "bun", content, summary: "" });
  hash = await createScript(world.deps, { actor: anAdmin, workspace: world.workspace }, script);
  await changeAcl(world.deps, anAdmin, { workspace: world.workspace, kind: "script", path }, { owner: "u/cleo", right: true });
});

const as = (actor: Person, action: (typeof routes)[keyof typeof routes]) => ({ actor, action, workspace: world.workspace });
const reader = () => aReader(world.workspace, ["t"]);
const stranger = () => aReader(world.workspace, []);

describe("a version that a hash names", () => {
  it("is read, with the extra permissions of its path, by a caller who may read the path", async () => {
    const version = await getScriptVersion(world.deps, as(reader(), routes.getScriptByHash), hash);
    expect(version).toMatchObject({ hash, path, content, extra_perms: { "u/cleo": true } });
    expect(await getScript(world.deps, world.workspace, path)).toEqual(version);
  });

  it("does not exist for a caller who may not read its path", async () => {
    const hidden = { code: "script.versionNotFound", details: { hash } };
    const { deps } = world;
    const reads = [
      () => getScriptVersion(deps, as(stranger(), routes.getScriptByHash), hash),
      () => getRawScriptVersion(deps, as(stranger(), routes.rawScriptByHash), hash),
      () => getScriptDeploymentStatus(deps, as(stranger(), routes.deploymentStatus), hash),
      () => archiveScriptVersion(deps, as(stranger(), routes.archiveScriptByHash), hash),
      () => deleteScriptVersion(deps, as(stranger(), routes.deleteScriptByHash), hash),
    ];
    for (const read of reads) await expect(read()).rejects.toMatchObject(hidden);
  });

  it("is not archived or deleted by a caller who may only read its path", async () => {
    const forbidden = { code: "auth.forbidden" };
    await expect(archiveScriptVersion(world.deps, as(reader(), routes.archiveScriptByHash), hash)).rejects.toMatchObject(forbidden);
    await expect(deleteScriptVersion(world.deps, as(reader(), routes.deleteScriptByHash), hash)).rejects.toMatchObject(forbidden);
    expect(await getScript(world.deps, world.workspace, path)).toMatchObject({ hash, archived: false });
  });

  it("is read as text with any file extension, and a name without a hash names none", async () => {
    const raw = (name: string) => getRawScriptVersion(world.deps, as(reader(), routes.rawScriptByHash), name);
    for (const name of [hash, `${hash}.ts`, `${hash}.bun.ts`]) expect(await raw(name)).toBe(content);
    for (const name of ["f/t/hello", "", `${hash}0`]) await expect(raw(name)).rejects.toMatchObject({ code: "script.versionNotFound" });
  });
});
