import { beforeAll, describe, expect, it } from "vitest";
import { newFlowSchema, flowRoutes as routes } from "../../../contract/routes/flows/flows.ts";
import type { Person } from "../../../core/people/actor.ts";
import type { World } from "../../../test/support/use-cases/world.ts";
import { newWorldWithFolder } from "../../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../../test/support/use-cases/world-people.ts";
import { createPathFilter } from "../../identity/permit.ts";
import { changeAcl } from "../../workspaces/acls.ts";
import { setFlowMessage } from "./archive.ts";
import { describeMachineAtVersion } from "./describe-machine.ts";
import { getFlow, getFlowVersion, listFlowHistory, listFlowPaths } from "./read.ts";
import { saveFlow } from "./save.ts";

const path = "f/t/order";

let world: World;
let version: number;
beforeAll(async () => {
  world = await newWorldWithFolder();
  const value = { modules: [{ id: "a", value: { type: "identity" } }] };
  await saveFlow(world.deps, { actor: anAdmin, workspace: world.workspace }, newFlowSchema.parse({ path, summary: "", value }));
  version = (await listFlowHistory(world.deps, world.workspace, path))[0]?.id ?? 0;
  await changeAcl(world.deps, anAdmin, { workspace: world.workspace, kind: "flow", path }, { owner: "u/cleo", right: false });
});

const as = (actor: Person, action: (typeof routes)[keyof typeof routes]) => ({ actor, action, workspace: world.workspace });
const reader = () => aReader(world.workspace, ["t"]);
const stranger = () => aReader(world.workspace, []);

describe("a version of a flow that a number names", () => {
  it("is read, with the extra permissions of its path, by a caller who may read the path", async () => {
    const flow = await getFlowVersion(world.deps, as(reader(), routes.getFlowVersion), version);
    expect(flow).toMatchObject({ path, extra_perms: { "u/cleo": false } });
    expect(await getFlow(world.deps, world.workspace, path)).toEqual(flow);
  });

  it("does not exist for a caller who may not read its path", async () => {
    const machineDeps = {
      ...world.deps,
      describeStateMachine: (machine: string) => ({ arn: machine }),
      stepFunction: "arn:step",
      stack: "svc",
    };
    const calls = [
      () => getFlowVersion(world.deps, as(stranger(), routes.getFlowVersion), version),
      () => describeMachineAtVersion(machineDeps, as(stranger(), routes.flowMachineAtVersion), version),
      () => setFlowMessage(world.deps, as(stranger(), routes.updateFlowHistory), version, "mine"),
    ];
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({ code: "flow.versionNotFound", details: { version: String(version) } });
  });

  it("keeps its message when a caller who may only read its path changes it", async () => {
    const change = (actor: Person, message: string) => setFlowMessage(world.deps, as(actor, routes.updateFlowHistory), version, message);
    await change(anAdmin, "first");
    await expect(change(reader(), "second")).rejects.toMatchObject({ code: "auth.forbidden" });
    expect(await listFlowHistory(world.deps, world.workspace, path)).toMatchObject([{ id: version, deployment_msg: "first" }]);
  });
});

it("the list of the paths of flows contains those that the caller may read", async () => {
  const pathsFor = (actor: Person) =>
    listFlowPaths(world.deps, world.workspace, createPathFilter({ actor, workspace: world.workspace }, routes.listFlows.access));
  expect([await pathsFor(reader()), await pathsFor(stranger())]).toEqual([[path], []]);
});
