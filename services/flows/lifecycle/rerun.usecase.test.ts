import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { actions } from "../../../contract/access/actions.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { addJob, addScript, addWorkspace, listJobs, passLease, work } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { loadValue } from "../../jobs/values/values.ts";
import { rerunJobs } from "./rerun.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

describe("rerun of two jobs with an Idempotency-Key, whichever of its writes fails,", () => {
  it("runs each of them once again when the call is repeated", async () => {
    await expectToSurviveFaults(async () => {
      const path = `f/t/${randomUUID()}`;
      const { hash } = await addScript(world, { path });
      const before = [await addJob(world, { path, hash }), await addJob(world, { path, hash })].map(({ id }) => id);
      const headers = { "idempotency-key": randomUUID() };
      const asked = { job_ids: before, script_options_by_path: {}, flow_options_by_path: {} };
      let answers: PromiseSettledResult<string>[] = [];
      const act = async () => {
        answers = await rerunJobs(world.deps, { actor: anAdmin, action: actions.readRun, workspace: world.workspace }, asked, headers);
      };
      return {
        act,
        recover: act,
        check: async () => {
          await work(world);
          await passLease(world);
          const again = (await listJobs(world, path)).filter(({ id }) => !before.includes(id));
          const ids = answers.map((answer) => (answer.status === "fulfilled" ? answer.value : String(answer.reason)));
          expect(again.map(({ id }) => id).sort()).toEqual(ids.sort());
          expect(again.map(({ id, state }) => [state, world.runs.filter(({ job }) => job === id).length])).toEqual([
            ["succeeded", 1],
            ["succeeded", 1],
          ]);
        },
      };
    });
  });
});

describe("rerun of two jobs without an Idempotency-Key, whichever of its writes fails,", () => {
  it("returns for each job an id that runs once or an error, even if the call is not repeated", async () => {
    await expectToSurviveFaults(async () => {
      const path = `f/t/${randomUUID()}`;
      const { hash } = await addScript(world, { path });
      const before = [await addJob(world, { path, hash }), await addJob(world, { path, hash })].map(({ id }) => id);
      const asked = { job_ids: before, script_options_by_path: {}, flow_options_by_path: {} };
      const caller = { actor: anAdmin, action: actions.readRun, workspace: world.workspace };
      let answers: PromiseSettledResult<string>[] = [];
      return {
        act: async () => {
          answers = await rerunJobs(world.deps, caller, asked, {});
        },
        recover: async () => undefined,
        check: async () => {
          await work(world);
          await passLease(world);
          const again = (await listJobs(world, path)).filter(({ id }) => !before.includes(id));
          expect(again.length).toBeLessThan(3);
          for (const { id, state } of again) expect([state, world.runs.filter(({ job }) => job === id).length]).toEqual(["succeeded", 1]);
          const ids = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
          expect(again.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
        },
      };
    });
  });
});

describe("the arguments of a rerun", () => {
  const MARK = "$var:f/ops/secret";
  const rerunWith = async (actor: typeof anAdmin, transforms: object, origin: Parameters<typeof addJob>[1] = {}) => {
    const path = `f/t/${randomUUID()}`;
    const { hash } = await addScript(world, { path });
    const args = { in: "head" as const, json: JSON.stringify({ db: MARK, text: ` ${MARK}` }) };
    const { id } = await addJob(world, { path, hash, args, ...origin });
    const options = { [path]: { input_transforms: transforms } } as Parameters<typeof rerunJobs>[2]["script_options_by_path"];
    const caller = { actor, action: actions.readRun, workspace: world.workspace };
    const [answer] = await rerunJobs(world.deps, caller, { job_ids: [id], script_options_by_path: options, flow_options_by_path: {} }, {});
    if (answer?.status !== "fulfilled") throw answer?.reason;
    const job = await world.deps.jobs.get(answer.value);
    return JSON.parse(await loadValue(world.deps, job ?? expect.fail(), job?.args ?? expect.fail())) as object;
  };

  it("keep references of the original job and of the caller, and no computed ones", async () => {
    const transforms = {
      x: { type: "static", value: [MARK] },
      y: { type: "javascript", expr: "job.input.text.trim()" },
      z: { type: "javascript", expr: "job.input.db" },
    };
    expect(await rerunWith(anAdmin, transforms)).toEqual({ db: MARK, text: ` ${MARK}`, x: [MARK], y: `\\${MARK}`, z: MARK });
  });

  it("contain no reference of a caller whose token may not refer to it", async () => {
    const actor = { ...anAdmin, scopes: ["jobs:run:scripts", "approvals:read"] };
    expect(await rerunWith(actor, { x: { type: "static", value: MARK } })).toMatchObject({ x: `\\${MARK}` });
  });

  it("name no function that a preprocessor has returned", async () => {
    const args = { in: "head" as const, json: JSON.stringify({ _ENTRYPOINT_OVERRIDE: "other", a: 1 }) };
    expect(await rerunWith(anAdmin, {}, { args })).toEqual({ _ENTRYPOINT_OVERRIDE: "other", a: 1 });
    expect(await rerunWith(anAdmin, {}, { args, preprocess: "done" })).toEqual({ a: 1 });
  });

  it.each<[string, typeof anAdmin, Parameters<typeof addJob>[1]]>([
    ["another person who may not read it, or no longer exists", anAdmin, { email: "eve@example.com", permissionedAs: "u/eve" }],
    ["such a person on behalf of the caller", anAdmin, { starter: "eve@example.com" }],
    ["the caller, whose token may not refer to it", { ...anAdmin, scopes: ["jobs:run:scripts", "approvals:read"] }, {}],
  ])("contain no reference of an original job of %s", async (_, actor, origin) => {
    const transforms = { z: { type: "javascript", expr: "job.input.db" } };
    expect(await rerunWith(actor, transforms, origin)).toEqual({ db: `\\${MARK}`, text: ` ${MARK}`, z: `\\${MARK}` });
  });
});
