import { QueryCommand } from "@aws-sdk/client-dynamodb";
import { StopExecutionCommand } from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { env } from "../../../contract/env.ts";
import { limits } from "../../../contract/limits.ts";
import { stepJobId } from "../../../services/flows/runtime/step-job-id.ts";
import { api } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients, invoke, misdirected } from "../../support/engine/aws.ts";
import { executionsOf } from "../../support/engine/executions.ts";
import { startTestInstance, type TestInstance } from "../../support/engine/instances.ts";
import { crashFunction } from "../../support/engine/processes.ts";
import { flow, saveFlow } from "../../support/flows/flow.ts";
import { startWitness, type Witness } from "../../support/jobs/witness.ts";
import { until } from "../../support/until.ts";

/** Processes are killed here, so this file has an instance of its own. */
let instance: TestInstance;
let ws: Workspace;
let witness: Witness;
beforeAll(async () => {
  [instance, witness] = await Promise.all([startTestInstance(), startWitness()]);
  ws = await newWorkspace(api({ url: instance.url, token: instance.admin.token }));
  await saveFlow(ws, "f/t/inner", [step("e"), step("f")]);
});
afterAll(async () => {
  await witness?.close();
  await instance?.stop();
});

/** A step that says that it begins and, last of all, that it is done; its result is its place. */
const CODE = `export async function main(url: string, place: string) {
  await fetch(url + "/begun/" + place);
  await Bun.sleep(100);
  await fetch(url + "/done/" + place);
  return place;
}`;
const step = (id: string, more: object = {}) =>
  flow.script(id, CODE, { url: "flow_input.url", place: `'${id}' + (flow_input.iter?.index ?? '')` }, more);

const args = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { type: "javascript", expr: `flow_input.${name}` }]));
const modules = (parallel = true) => [
  step("a"),
  flow.each("l", "[0, 1]", [step("b"), step("c")]),
  flow.one("o", [["true", [step("d")]]]),
  step("w", { sleep: { type: "static", value: 1 } }),
  { id: "n", value: { type: "flow", path: "f/t/inner", input_transforms: args("url") } },
  flow.each("p", "[0, 1]", [step("g")], { parallel }),
  flow.identity("i"),
  flow.step("z", "[results.a, results.l, results.o, results.w, results.n, results.p]"),
];
const RESULT = ["a", ["c0", "c1"], "d", "w", "f", ["g0", "g1"]];
/** Every run of a script, in order. */
const PLACES = ["a", "b0", "c0", "b1", "c1", "d", "w", "e", "f", "g0", "g1"];

/** What stands in the journals of a flow and of the one inside of it: of each step that has come to its end, its place. */
const finished = async (id: string) => (await Promise.all([id, stepJobId(id, "n", "", "", 0)].map(journaled))).flat();
async function journaled(id: string): Promise<string[]> {
  const { dynamodb } = awsClients(instance);
  const command = new QueryCommand({
    TableName: instance.outputs["JobsTable"],
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": { S: id } },
    ConsistentRead: true,
  });
  const { Items = [] } = await dynamodb.send(command);
  return Items.flatMap(({ sk }) => {
    const [, module, at] = /^m#(\w+)@(?:(\d+)\.)?$/.exec(sk?.S ?? "") ?? [];
    return module === undefined ? [] : [`${module}${at ?? ""}`];
  });
}

/** What was running is lost, as if its lease were over: nobody need wait for that. */
const leasesAreOver = () =>
  invoke("HousekeepingFunction", { nowMs: Date.now() + limits.leaseMs + limits.leaseGraceMs, aheadMs: limits.flowLookMs }, instance);

type Moment = (id: string, place: string) => Promise<unknown>;
const toldOf =
  (what: string): Moment =>
  (_, place) =>
    until(() => witness.count(`${what}/${place}`), { timeoutMs: 60_000, everyMs: 5, what: `${what}/${place}` });
const whileItRuns = toldOf("begun");
const moments: Record<string, Moment> = {
  "while its script runs": whileItRuns,
  "right before its end is written down": toldOf("done"),
  "right after its end is written down": (id, place) =>
    until(async () => (await finished(id)).includes(place), { timeoutMs: 60_000, everyMs: 1, what: `the end of ${place}` }),
};

const theFunction = { output: "StepFunction" } as const;
const theRunner = { runner: "bun" } as const;
const apart = () => ({ modules: modules() });
const inOneSegment = () => ({ modules: modules(false), same_worker: true });

describe("killed processes", () => {
  it.each([
    ...Object.entries(moments).map(([when, moment]) => ["the function of the steps", when, theFunction, moment, PLACES, apart] as const),
    ["the runner", "while its script runs", theRunner, whileItRuns, ["a", "c1", "e", "g1"], apart] as const,
    ["the function of a segment", "while its script runs", theFunction, whileItRuns, PLACES, inOneSegment] as const,
    ["the runner of a segment", "while its script runs", theRunner, whileItRuns, ["a", "c1", "e", "g1"], inOneSegment] as const,
  ])(
    "%s at each step, %s, the flow's result is right and no finished step runs again",
    async (_name, _when, which, moment, places, value) => {
      witness.told.length = 0;
      const body = { value: value(), args: { url: witness.url } };
      const id = expectStatus(await ws.post("jobs/run/preview_flow", body), 201).text;
      const counted = (place: string) => witness.count(`begun/${place}`);
      const before = new Map<string, number>();
      for (const place of places) {
        await moment(id, place);
        for (const done of await finished(id)) if (PLACES.includes(done) && !before.has(done)) before.set(done, counted(done));
        crashFunction(instance, which);
        await leasesAreOver();
      }
      expect(await ws.completed(id, 60_000)).toMatchObject({ success: true, result: RESULT });
      expect(Object.fromEntries([...before.keys()].map((place) => [place, counted(place)]))).toEqual(Object.fromEntries(before));
    },
  );
});

describe("batches of quick steps", () => {
  const quick = (id: string, more: object = {}) =>
    flow.script(
      id,
      `export async function main(url: string, id: string, slow: boolean) {
        await fetch(url + "/begun/" + id);
        if (slow) await Bun.sleep(4000);
        return id;
      }`,
      { url: "flow_input.url", id: `"${id}"`, slow: `flow_input.slow === "${id}"` },
      more,
    );
  const ids = Array.from({ length: 12 }, (_, index) => `s${index}`);
  const alone = { retry: { constant: { attempts: 1, seconds: 0 } } };
  const value = () => ({ same_worker: true, modules: [quick("first", alone), ...ids.map((id) => quick(id))] });
  const run = async (slow: string) => {
    witness.told.length = 0;
    return expectStatus(await ws.post("jobs/run/preview_flow", { value: value(), args: { url: witness.url, slow } }), 201).text;
  };

  it.each([
    ["the runner", theRunner],
    ["the function", theFunction],
  ] as const)(
    "%s is killed, and at most that batch runs again",
    async (_name, which) => {
      // How quick they are is known once they have run.
      for (const _ of ["once", "twice"]) await ws.completed(await run(""), 60_000);
      const id = await run("s9");
      await until(() => witness.count("begun/s9"), { timeoutMs: 60_000, what: "s9" });
      const before = (await finished(id)).map((each) => [each, witness.count(`begun/${each}`)] as const);
      crashFunction(instance, which);
      await leasesAreOver();
      expect(await ws.completed(id, 120_000)).toMatchObject({ success: true, result: "s11" });
      for (const [each, times] of before) expect([each, witness.count(`begun/${each}`)]).toEqual([each, times]);
      expect(witness.count("begun/first")).toBe(1);
      for (const each of ids) expect(witness.count(`begun/${each}`), each).toBeLessThanOrEqual(2);
    },
    240_000,
  );
});

/** What EventBridge would tell is lost: the function that hears of it finds no jobs. */
const whileNothingIsHeard = (meanwhile: () => Promise<unknown>) => misdirected(instance, /Settle/, env.jobsTable, meanwhile);
const running = async (id: string) => {
  const [execution] = await executionsOf(ws.id, `${id}.0`, instance);
  return execution ?? expect.fail(`The job ${id} has no execution.`);
};
const isOver = (id: string) =>
  until(async () => (await running(id)).status !== "RUNNING", { timeoutMs: 60_000, what: `the end of the execution of ${id}` });
const begin = async (value: object[]) => {
  witness.told.length = 0;
  const body = { value: { modules: value }, args: { url: witness.url } };
  return expectStatus(await ws.post("jobs/run/preview_flow", body), 201).text;
};
const waiting = () => [step("a", { sleep: { type: "static", value: 3 } }), step("b")];

describe("lost events of executions", () => {
  it("an execution that was stopped in the console cancels the flow with the reason", async () => {
    const id = await begin([step("a", { sleep: { type: "static", value: 600 } }), step("b")]);
    await whileNothingIsHeard(async () => {
      await until(async () => (await finished(id)).includes("a"), { what: "the end of a" });
      const { arn: executionArn } = await running(id);
      await awsClients(instance).sfn.send(new StopExecutionCommand({ executionArn, cause: "somebody pressed stop" }));
      await isOver(id);
      await leasesAreOver();
      const ended = await ws.completed(id);
      expect(ended).toMatchObject({ canceled: true, success: false, canceled_reason: expect.stringContaining("somebody pressed stop") });
    });
    expect(witness.count("begun/b")).toBe(0);
  });

  it("another execution continues a flow whose execution failed without a record", async () => {
    const id = await begin(waiting());
    await whileNothingIsHeard(async () => {
      await until(async () => (await finished(id)).includes("a"), { what: "the end of a" });
      await misdirected(instance, /Step/, env.jobsTable, () => isOver(id));
      expect((await running(id)).status).toBe("FAILED");
      await leasesAreOver();
      expect(await ws.completed(id, 60_000)).toMatchObject({ success: true, result: "b" });
    });
    expect([witness.count("begun/a"), witness.count("begun/b")]).toEqual([1, 1]);
  });
});

describe("flows deleted during a run", () => {
  it("a deleted flow ends, even if no function has it in memory", async () => {
    await saveFlow(ws, "f/t/deleted", waiting());
    const id = expectStatus(await ws.post("jobs/run/f/f/t/deleted", { url: witness.url }), 201).text;
    await until(async () => (await finished(id)).includes("a"), { timeoutMs: 60_000, what: "the end of a" });
    expectStatus(await ws.call("DELETE", "flows/delete/f/t/deleted"), 200);
    crashFunction(instance, { output: "StepFunction" });
    const ended = await ws.completed(id, 60_000);
    expect(ended).toMatchObject({
      success: false,
      result: { error: { name: "FlowDeleted", message: "The flow was deleted while it ran." } },
    });
  });
});
