import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { workspaceEventTypes } from "../../contract/events.ts";
import { endpointObject, WORKSPACE_ENDPOINT } from "../../core/events/endpoint.ts";
import { eventCases } from "../../test/support/use-cases/cases/event-cases.ts";
import {
  caller,
  flow,
  HIDDEN,
  makeFolder,
  name,
  nameNextObjects,
  newEventWorld,
  path,
  renamed,
  script,
  share,
  variable,
  world,
} from "../../test/support/use-cases/cases/event-changes.ts";
import { addEndpoint, listEvents } from "../../test/support/use-cases/world-events.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { deleteFlow, setFlowArchived } from "../flows/definitions/archive.ts";
import { deleteFolder } from "../folders/folders.ts";
import { deleteResource } from "../resources/save.ts";
import { deleteResourceType } from "../resources/types.ts";
import { archiveScript, deleteScript } from "../scripts/archive.ts";
import { deleteVariable, updateVariable } from "../variables/save.ts";

beforeAll(newEventWorld);
beforeEach(nameNextObjects);

describe("the event of a change", () => {
  it("every event type of a workspace has a case, except those of tokens", () => {
    const others = workspaceEventTypes.filter((type) => !type.startsWith("Token"));
    expect([...new Set(eventCases.map(({ type }) => type))].sort()).toEqual(others.sort());
  });

  it.each(eventCases)("$title is one $type with the data of the change and no value", async ({ prepare, change, type, data }) => {
    const prepared = await prepare?.();
    await addEndpoint(world);
    const known = new Set((await listEvents(world)).map(({ id }) => id));
    const changed = await change();
    const events = (await listEvents(world)).filter(({ id }) => !known.has(id));
    expect(events).toEqual([
      {
        id: expect.any(String),
        type,
        workspace: world.workspace,
        by: "ann",
        atMs: world.clock.nowMs,
        data: await data(prepared, changed),
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(HIDDEN);
  });

  it.each(eventCases)("$title writes no event in a workspace without an endpoint", async ({ prepare, change }) => {
    await prepare?.();
    await world.deps.objects.deleteItem(endpointObject.key(world.workspace, WORKSPACE_ENDPOINT));
    const count = (await listEvents(world)).length;
    await change();
    expect(await listEvents(world)).toHaveLength(count);
  });

  it.each(eventCases)(
    "three simultaneous calls of $title write one event for each change that was made",
    async ({ prepare, change, type, once = !type.startsWith("Update") }) => {
      await prepare?.();
      await addEndpoint(world);
      const known = new Set((await listEvents(world)).map(({ id }) => id));
      const outcomes = await Promise.allSettled([change(), change(), change()]);
      const made = outcomes.filter(({ status }) => status === "fulfilled").length;
      const events = (await listEvents(world)).filter(({ id }) => !known.has(id));
      expect(events.map((event) => event.type)).toEqual(events.map(() => type));
      expect([events.length, made > 0]).toEqual([once ? 1 : made, true]);
    },
  );

  it("a refused change, and one without an effect, write no event", async () => {
    await script();
    await flow();
    await variable({ path: renamed });
    await setFlowArchived(world.deps, { ...caller(), path }, true);
    await addEndpoint(world);
    const before = await listEvents(world);
    const outcomes = await Promise.allSettled([
      script(),
      script({ path: "f/nowhere/a" }),
      script({ auto_parent: true, content: "x".repeat(2 ** 20 + 1) }),
      deleteScript(world.deps, { actor: anAdmin, workspace: world.workspace, path: renamed }),
      archiveScript(world.deps, { actor: anAdmin, workspace: world.workspace, path: renamed }),
      variable({ path: renamed }),
      updateVariable(world.deps, { ...caller(), path: renamed }, { path: "f/nowhere/a" }),
      deleteVariable(world.deps, { actor: anAdmin, workspace: world.workspace, path }),
      deleteResource(world.deps, { actor: anAdmin, workspace: world.workspace, path }),
      deleteResourceType(world.deps, { actor: anAdmin, workspace: world.workspace, path: name }),
      makeFolder("t"),
      deleteFolder(world.deps, { actor: anAdmin, workspace: world.workspace, name }),
      share("variable"),
      share("folder", name),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => "rejected"));
    await setFlowArchived(world.deps, { ...caller(), path }, true);
    await deleteFlow(world.deps, { actor: anAdmin, workspace: world.workspace, path: renamed });
    await script({ auto_parent: true }, { skipIfNoop: true });
    expect(await listEvents(world)).toEqual(before);
  });
});
