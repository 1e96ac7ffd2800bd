import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { inputRoutes as routes } from "../../contract/routes/jobs/inputs.ts";
import type { Actor, Person } from "../../core/people/actor.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { addJob } from "../../test/support/use-cases/world-jobs.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { cancelJob } from "../jobs/cancel/cancel-job.ts";
import { createScript } from "../scripts/create.ts";
import { getEarlierArgs, listEarlierInputs } from "./earlier-inputs.ts";
import { createInput, deleteInput, getInputArgs, listInputs, updateInput } from "./saved-inputs.ts";

let world: World;
let path: string;
let hash: string;
const schema = {
  properties: { n: { type: "number" }, pin: { type: "string", password: true }, db: { type: "object", format: "resource-postgresql" } },
};
beforeAll(async () => {
  world = await newWorldWithFolder();
  path = await addScriptAt("t");
});

async function addScriptAt(folder: string): Promise<string> {
  const at = `f/${folder}/${randomUUID()}`;
  const script = { path: at, summary: "", description: "", language: "bun" as const, content: "export const main = () => 1;", schema };
  hash = await createScript(world.deps, { actor: anAdmin, workspace: world.workspace }, script);
  return at;
}

const bob = () => aReader(world.workspace, ["t"]);
const eve = (): Person => ({ ...aReader(world.workspace, ["t"]), email: "eve@example.com", username: "eve" });
const by = (actor: Actor, action: (typeof routes)[keyof typeof routes]) => ({ actor, action, workspace: world.workspace });
const ofScript = (at = path) => ({ runnable_id: at, runnable_type: "ScriptPath" as const });
const create = (args: Record<string, unknown>, actor: Actor = bob(), name: string = randomUUID(), at = path) =>
  createInput(world.deps, by(actor, routes.createInput), ofScript(at), { name, args });
const idsSeenBy = async (actor: Actor) => (await listInputs(world.deps, by(actor, routes.listInputs), ofScript())).map(({ id }) => id);
const argsFor = (id: string, actor: Actor = bob()) => getInputArgs(world.deps, by(actor, routes.getInputArgs), id);
const publish = (id: string, actor: Actor = bob()) =>
  updateInput(world.deps, by(actor, routes.updateInput), { id, name: "public", isPublic: true });
const remove = (id: string, actor: Actor = bob()) => deleteInput(world.deps, by(actor, routes.deleteInput), id);
const refused = (code: string) => expect.objectContaining({ code });

describe("a saved input", () => {
  it("belongs to its creator until it is public, and then to all who may run the script", async () => {
    const id = await create({ n: 1 });
    expect(await argsFor(id)).toEqual({ n: 1 });
    expect(await idsSeenBy(bob())).toContain(id);
    for (const other of [eve(), anAdmin]) {
      expect(await idsSeenBy(other)).not.toContain(id);
      await expect(argsFor(id, other)).rejects.toEqual(refused("input.notFound"));
      await expect(publish(id, other)).rejects.toEqual(refused("input.notFound"));
      await expect(remove(id, other)).rejects.toEqual(refused("input.notFound"));
    }
    await publish(id);
    expect(await listInputs(world.deps, by(eve(), routes.listInputs), ofScript())).toContainEqual({
      ...{ id, name: "public", created_by: "bob", is_public: true, created_at: expect.any(String) },
    });
    expect(await argsFor(id, eve())).toEqual({ n: 1 });
    const outsider = aReader(world.workspace, []);
    await expect(argsFor(id, { ...outsider, email: "eve@example.com", username: "eve" })).rejects.toEqual(refused("input.notFound"));
    await expect(publish(id, eve())).rejects.toEqual(refused("input.notFound"));
    await expect(remove(id, eve())).rejects.toEqual(refused("input.notFound"));
    await remove(id, anAdmin);
    await expect(argsFor(id)).rejects.toEqual(refused("input.notFound"));
    await expect(remove(id)).rejects.toEqual(refused("input.notFound"));
  });

  it("contains no secret, but the references to secrets", async () => {
    const id = await create({ n: 1, pin: "1234", db: { password: "s" }, more: "m" }, anAdmin);
    expect(await argsFor(id, anAdmin)).toEqual({ n: 1, more: "m" });
    const references = { pin: "$var:f/t/pin", db: "$res:f/t/db" };
    expect(await argsFor(await create(references, anAdmin), anAdmin)).toEqual(references);
  });

  it("refers to nothing that its creator may not read, because others use it with their rights", async () => {
    await expect(create({ n: "$var:u/ann/key" })).rejects.toEqual(refused("reference.refused"));
  });

  it("is found by the hash of a version, and belongs to the path", async () => {
    const id = await create({ n: 2 });
    const query = { runnable_id: hash, runnable_type: "ScriptHash" as const };
    expect((await listInputs(world.deps, by(bob(), routes.listInputs), query)).map((one) => one.id)).toContain(id);
  });

  it.each([
    ["a script that the caller may not see", () => ofScript("f/hidden/one"), "script.notFound"],
    ["a flow that the caller may not see", () => ({ runnable_id: "f/hidden/one", runnable_type: "FlowPath" as const }), "flow.notFound"],
    ["an unknown hash", () => ({ runnable_id: "0".repeat(16), runnable_type: "ScriptHash" as const }), "script.versionNotFound"],
    ["a script that does not exist", () => ofScript("f/t/none"), "script.notFound"],
  ])("is refused for %s", async (_, query, code) => {
    const body = { name: "n", args: {} };
    await expect(createInput(world.deps, by(bob(), routes.createInput), query(), body)).rejects.toEqual(refused(code));
  });

  it("has a maximum size and number", async () => {
    await expect(create({ n: "x".repeat(limits.savedInputBytes) })).rejects.toEqual(refused("body.tooLarge"));
    const at = await addScriptAt("t");
    for (let n = 0; n < limits.savedInputs; n += 1) await create({ n }, bob(), `${n}`, at);
    await expect(create({}, bob(), "one more", at)).rejects.toEqual(refused("input.tooMany"));
    await create({}, eve(), "of another user", at);
  });

  it("is stored once, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      const at = await addScriptAt("t");
      const act = () => create({ n: 1 }, bob(), "same", at);
      return {
        act,
        recover: act,
        check: async () => expect(await listInputs(world.deps, by(bob(), routes.listInputs), ofScript(at))).toHaveLength(1),
      };
    });
  });
});

describe("the arguments of an earlier run", () => {
  /** The jobs end because they are canceled. */
  const run = async (args: object, fields: object = {}) => {
    const job = await addJob(world, {
      kind: "script",
      path,
      hash,
      args: { in: "head", json: JSON.stringify(args) },
      id: randomUUID(),
      ...fields,
    });
    await cancelJob(world.deps, job, { by: "ann", reason: "" });
    return job.id;
  };
  const history = (actor: Actor, more: object = {}) =>
    listEarlierInputs(world.deps, by(actor, routes.inputHistory), { ...ofScript(), ...more });

  it("are listed for those who may see the run, by their values", async () => {
    path = await addScriptAt("t");
    const [one, two] = [await run({ n: 41 }), await run({ n: 42 })];
    expect((await history(anAdmin)).entries.map(({ id }) => id).sort()).toEqual([one, two].sort());
    expect((await history(anAdmin, { args: '{"n":42}' })).entries).toMatchObject([{ id: two, success: false }]);
    await expect(history(aReader(world.workspace, []))).rejects.toEqual(refused("script.notFound"));
  });

  it("come without secrets, and without references that their sender could not read", async () => {
    const id = await run({ n: 1, pin: "1234", more: "$var:u/eve/key" }, { email: "mallory@example.com", permissionedAs: "u/mallory" });
    expect(await getEarlierArgs(world.deps, by(anAdmin, routes.getInputArgs), id)).toEqual({ n: 1, more: "\\$var:u/eve/key" });
    const outsider = aReader(world.workspace, []);
    await expect(getEarlierArgs(world.deps, by(outsider, routes.getInputArgs), id)).rejects.toEqual(refused("job.notFound"));
  });
});
