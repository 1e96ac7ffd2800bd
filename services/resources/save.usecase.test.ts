import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { newResourceSchema } from "../../contract/routes/stored/resources.ts";
import { resourceObject } from "../../core/resources/resource.ts";
import type { StoredType } from "../../core/resources/type.ts";
import { resourceTypeObject } from "../../core/resources/type.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { eventsOf } from "../../test/support/use-cases/world-events.ts";
import { newWorldWithFolder, repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { changeAcl, getAcl } from "../workspaces/acls.ts";
import { createResource, deleteResource, updateResource } from "./save.ts";
import { createResourceType } from "./types.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
});

const caller = () => ({ actor: anAdmin, workspace: world.workspace });
const newPath = () => `f/t/${randomUUID()}`;
const create = (path: string, value: unknown, options = {}) =>
  createResource(world.deps, caller(), newResourceSchema.parse({ path, value, resource_type: "any" }), options);
const load = async (path: string) =>
  (await world.deps.objects.get(resourceObject.key(world.workspace, path)))?.value as { json: string } | undefined;
const share = (path: string) =>
  changeAcl(world.deps, anAdmin, { workspace: world.workspace, kind: "resource", path }, { owner: "u/bob", right: true });
const acl = (path: string) => getAcl(world.deps, { workspace: world.workspace, kind: "resource", path });

describe("saving a resource, whichever write fails,", () => {
  it("creates it once, or returns that it exists", async () => {
    await expectToSurviveFaults(async () => {
      const path = newPath();
      const act = () => create(path, { a: 1 });
      return {
        act,
        recover: () => repeat(act, ["resource.exists"]),
        check: async () => {
          expect(await load(path)).toMatchObject({ path, json: '{"a":1}' });
          expect(await eventsOf(world, path)).toEqual(["CreateResource"]);
        },
      };
    });
  });

  it("renames and changes it together, once, with its extra permissions", async () => {
    await expectToSurviveFaults(async () => {
      const [from, to] = [newPath(), newPath()];
      await create(from, 1);
      await share(from);
      const act = () => updateResource(world.deps, { ...caller(), path: from }, { path: to, value: 2 });
      return {
        act,
        recover: () => repeat(act, ["resource.notFound"]),
        check: async () => {
          expect([await load(from), await load(to)]).toMatchObject([undefined, { path: to, json: "2" }]);
          expect([await acl(from), await acl(to)]).toEqual([{}, { "u/bob": true }]);
          expect(await eventsOf(world, to)).toEqual(["UpdateResource"]);
        },
      };
    });
  });

  it("deletes it once, with its extra permissions", async () => {
    await expectToSurviveFaults(async () => {
      const path = newPath();
      await create(path, 1);
      await share(path);
      const act = () => deleteResource(world.deps, { actor: anAdmin, workspace: world.workspace, path });
      return {
        act,
        recover: () => repeat(act, ["resource.notFound"]),
        check: async () => {
          expect([await load(path), await acl(path)]).toEqual([undefined, {}]);
          expect(await eventsOf(world, path)).toEqual(["CreateResource", "UpdateResource", "DeleteResource"]);
        },
      };
    });
  });
});

describe("a resource type with a pattern that cannot run in linear time", () => {
  const schema = { type: "object", properties: { key: { type: "string", pattern: "(?<=a)b" } } };

  it("is refused on save", async () => {
    const request = { name: `t${Date.now()}`, schema };
    await expect(createResourceType(world.deps, { actor: anAdmin, workspace: world.workspace }, request)).rejects.toMatchObject({
      code: "resourceType.schema",
      details: { reason: expect.stringMatching(/^the pattern at properties\.key\.pattern contains a look-behind/) },
    });
  });

  it("that an earlier release stored refuses every value, and names the pattern", async () => {
    const name = `stored_${randomUUID().slice(0, 8)}`;
    const type: StoredType = { name, schemaJson: JSON.stringify(schema), createdBy: "kim", editedAtMs: 0 };
    await world.deps.objects.put({ ...resourceTypeObject.key(world.workspace, name), value: type });
    const path = newPath();
    const request = newResourceSchema.parse({ path, value: { key: "ab" }, resource_type: name });
    await expect(createResource(world.deps, caller(), request, {})).rejects.toMatchObject({
      code: "resource.value",
      details: { issues: [{ path: "value", reason: expect.stringMatching(/^cannot be checked, .*contains a look-behind/) }] },
    });
    expect(await load(path)).toBeUndefined();
  });
});

describe("at once", () => {
  it("four saves over one resource keep the value of one of them, and one event for each", async () => {
    const path = newPath();
    const values = Array.from({ length: 4 }, (_, index) => index);
    await Promise.all(values.map((value) => create(path, value, { updateIfExists: true })));
    expect(values).toContain(JSON.parse((await load(path))?.json ?? "null"));
    expect((await eventsOf(world, path)).sort()).toEqual(["CreateResource", ...values.slice(1).map(() => "UpdateResource")]);
  });
});
