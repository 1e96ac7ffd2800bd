import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { triggerKinds } from "../../contract/routes/triggers/trigger-kind.ts";
import { routeCredentialObject } from "../../core/secrets/sealed-copy.ts";
import { variableObject } from "../../core/variables/variable.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { appKind } from "../apps/save.ts";
import { folderKind } from "../folders/folders.ts";
import { commitParts } from "../outbox/commit-parts.ts";
import { createResource, deleteResource, resourceKind, updateResource } from "../resources/save.ts";
import { resourceTypeKind } from "../resources/types.ts";
import { scheduleKind } from "../schedules/save.ts";
import { toTriggerPathKind } from "../triggers/save.ts";
import { createVariable, deleteVariable, updateVariable, variableKind } from "../variables/save.ts";
import { buildReplaceParts } from "./save-object.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
});

const caller = () => ({ actor: anAdmin, workspace: world.workspace });
const newPath = () => `f/t/n${randomUUID().slice(0, 8)}`;

/** Creates a variable and a resource that refers to it, by which routes authenticate requests. */
async function newCredential() {
  const [variable, resource] = [newPath(), newPath()];
  await createVariable(world.deps, caller(), { path: variable, value: "one", is_secret: true, description: "" });
  const value = { username: "ann", password: `$var:${variable}` };
  await createResource(world.deps, caller(), { path: resource, value, resource_type: "basic_http_auth" });
  return { variable, resource };
}

const copyOf = async (resource: string) => {
  const found = await world.deps.objects.get(routeCredentialObject.key(world.workspace, resource));
  return found && routeCredentialObject.parse(found);
};

describe("the copy of a credential that HTTP routes read", () => {
  it("exists once the resource is saved", async () => {
    expect(await copyOf((await newCredential()).resource)).toHaveProperty("sealed");
  });

  it.each<[string, (paths: { variable: string; resource: string }) => Promise<void>, "sealed" | "fault" | undefined]>([
    ["its variable changes", ({ variable }) => updateVariable(world.deps, { ...caller(), path: variable }, { value: "two" }), "sealed"],
    ["its variable moves", ({ variable }) => updateVariable(world.deps, { ...caller(), path: variable }, { path: newPath() }), "fault"],
    ["its variable is deleted", ({ variable }) => deleteVariable(world.deps, { ...caller(), path: variable }), "fault"],
    [
      "its variable is replaced together with other items",
      async ({ variable: path }) => {
        const stored = await world.deps.objects.get(variableObject.key(world.workspace, path));
        if (!stored) throw new Error("The variable does not exist.");
        const after = { ...variableObject.parse(stored), isSecret: false, value: "two" };
        const replaced = { workspace: world.workspace, stored, after, sent: { text: "two" } };
        await commitParts(world.deps.objects, await buildReplaceParts(world.deps, variableKind, replaced));
      },
      "sealed",
    ],
    [
      "its resource changes",
      ({ resource }) => updateResource(world.deps, { ...caller(), path: resource }, { value: { username: "bob", password: "three" } }),
      "sealed",
    ],
    ["its resource moves", ({ resource }) => updateResource(world.deps, { ...caller(), path: resource }, { path: newPath() }), undefined],
    ["its resource is deleted", ({ resource }) => deleteResource(world.deps, { ...caller(), path: resource }), undefined],
  ])("follows in the same transaction when %s", async (_, change, expected) => {
    const paths = await newCredential();
    const before = await copyOf(paths.resource);
    await change(paths);
    const after = await copyOf(paths.resource);
    expect(after).not.toEqual(before);
    if (expected === undefined) expect(after).toBeUndefined();
    else expect(after).toHaveProperty(expected);
  });

  it("is updated by the kinds whose values it contains, and by no other kind", () => {
    const others = [resourceTypeKind, appKind, scheduleKind, folderKind, ...triggerKinds.map(toTriggerPathKind)];
    expect([variableKind, resourceKind].map(({ buildCopies }) => typeof buildCopies)).toEqual(["function", "function"]);
    expect(others.map(({ buildCopies }) => buildCopies)).toEqual(others.map(() => undefined));
  });
});
