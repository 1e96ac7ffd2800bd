import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { Cloud } from "../../../test/support/use-cases/cloud.ts";
import { echo, nested, sleepS, step } from "../../../test/support/use-cases/flow-modules.ts";
import { addFlow, endOfFlow, type FlowRoom, gates, newFlowRoom, startFlow } from "../../../test/support/use-cases/room-flows.ts";
import { addJob, resumeDue } from "../../../test/support/use-cases/room-jobs.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { cancelJob } from "../../jobs/cancel/cancel-job.ts";

let room: FlowRoom;
beforeAll(async () => {
  room = await newFlowRoom();
  await Promise.all([
    addFlow(room, "f/t/sleeps", [step("a", sleepS(600)), step("inside")]),
    addFlow(room, "f/t/asks", [{ id: "ask", value: { type: "identity" }, suspend: { required_events: 1, timeout: 100_000 } }]),
  ]);
});
const timedOut = (seconds: number) => ({
  state: "failed",
  result: { error: { name: "TimeoutError", message: `The flow exceeded its time limit of ${seconds} s.` } },
});

describe("the time limit of a flow", () => {
  const failing = { id: "a", value: { type: "script", path: "f/ops/none" }, retry: { constant: { attempts: 3, seconds: 600 } } };
  it.each<[string, object, string[]]>([
    ["it sleeps", { modules: [step("a", sleepS(600)), step("b")] }, ["a"]],
    ["it waits for its next attempt", { modules: [failing, step("b")] }, []],
    ["it waits for a nested flow", { modules: [nested("n", "f/t/sleeps"), step("b")] }, ["a"]],
    ["a segment sleeps", { same_worker: true, modules: [step("a", sleepS(600)), step("b")] }, ["a"]],
  ])("ends it while %s, and nothing after that begins", async (_title, value, ran) => {
    const from = room.results.length;
    const executions = room.started.length;
    const run = await startFlow(room, value, {}, { timeoutS: 3 });
    await new Cloud(room).play(run);
    expect(await endOfFlow(room, run)).toEqual(timedOut(3));
    expect(room.results.slice(from)).toEqual(ran);
    for (const { job } of room.started.slice(executions)) expect(await endOfFlow(room, job)).toMatchObject({ state: "failed" });
  });

  it("ends it by housekeeping while nothing of it runs, together with the flows nested in it", async () => {
    const from = room.started.length;
    const run = await startFlow(room, [nested("n", "f/t/asks"), step("z")], {}, { timeoutS: 300 });
    const cloud = new Cloud(room);
    const passS = async (seconds: number) => {
      room.clock.nowMs += seconds * 1000;
      await resumeDue(room);
      await cloud.playUntilQuiet();
    };
    await cloud.playUntilQuiet();
    await passS(60);
    expect(await room.deps.jobs.get(run)).toMatchObject({ state: "running" });
    await passS(241);
    expect(await endOfFlow(room, run)).toEqual(timedOut(300));
    const [, inner] = room.started.slice(from);
    expect(await endOfFlow(room, inner?.job ?? "")).not.toMatchObject({ state: "succeeded" });
  });

  it("does not concern a flow that ends in time", async () => {
    const run = await startFlow(room, [step("a"), echo("b", "2")], {}, { timeoutS: 3600 });
    await new Cloud(room).play(run);
    expect(await endOfFlow(room, run)).toEqual({ state: "succeeded", result: 2 });
  });
});

describe("a flow whose author chose a period beyond every date, before periods had bounds,", () => {
  const ENDLESS_S = 1e300;
  const asks = { id: "ask", value: { type: "identity" } };
  const gate = { type: "consentgate", approvers: ["role:admin"], timeout: ENDLESS_S, remind_after: ENDLESS_S };
  /** `until`: the state in which it waits; a flow without one runs to its end. */
  it.each<[string, object, "running" | "succeeded" | "failed"]>([
    ["waits for an approval", { modules: [{ ...asks, suspend: { required_events: 1, timeout: ENDLESS_S } }, step("b")] }, "running"],
    [
      "waits for a consent",
      { modules: [{ id: "ask", value: { ...gate, escalate: { after: ENDLESS_S, approvers: ["role:admin"] } } }] },
      "running",
    ],
    ["sleeps", { modules: [step("a", sleepS(ENDLESS_S)), step("b")] }, "failed"],
    ["repeats a step", { modules: [echo("a", "1", { retry: { constant: { attempts: 1, seconds: ENDLESS_S } } })] }, "succeeded"],
    [
      "limits a step",
      {
        modules: [echo("a", "1", { timeout: ENDLESS_S, cache_ttl: ENDLESS_S, delete_after_secs: ENDLESS_S })],
        delete_after_secs: ENDLESS_S,
      },
      "succeeded",
    ],
  ])("%s, and can be canceled by force", async (_, value, expected) => {
    const stored = await addJob(room, {
      id: randomUUID(),
      kind: "flowpreview",
      code: { in: "head", json: JSON.stringify({ flow: value }) },
      args: { in: "head", json: "{}" },
      hash: undefined,
      language: undefined,
      tag: "flow",
      timeoutS: 3600,
    });
    await handleJobMessage(room.deps, { job: stored.id });
    const cloud = new Cloud(room);
    await (expected === "running" ? cloud.playUntilQuiet() : cloud.play(stored.id));
    const job = (await room.deps.jobs.get(stored.id)) ?? expect.fail();
    expect(job.state).toBe(expected);
    if (job.state !== "running") return;
    for (const { opened } of await gates(room, job.id)) expect(new Date(opened?.deadlineMs ?? 0).getTime()).toBe(opened?.deadlineMs);
    await resumeDue(room);
    await cancelJob(room.deps, job, { by: "ann", reason: "", force: true });
    expect(await endOfFlow(room, job.id)).toMatchObject({ state: "canceled" });
  });
});
