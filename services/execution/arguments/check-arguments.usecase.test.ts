import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { httpFieldsSchema } from "../../../contract/routes/triggers/http-fields.ts";
import type { RunnableFlow } from "../../../core/flows/version.ts";
import type { FoundHttpRoute } from "../../../core/http-routes/http-route.ts";
import { hasEnded } from "../../../core/jobs/record/job.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import { scriptHeadObject, scriptVersionObject } from "../../../core/scripts/version.ts";
import type { StoredTrigger } from "../../../core/triggers/trigger.ts";
import { triggerObject } from "../../../core/triggers/trigger.ts";
import { Cloud } from "../../../test/support/use-cases/aws/cloud.ts";
import { echo, nested } from "../../../test/support/use-cases/cases/flow-modules.ts";
import { success } from "../../../test/support/use-cases/world.ts";
import { addFlow, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { listJobs, work } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { addScriptAt, aScheduleRequest } from "../../../test/support/use-cases/world-schedules.ts";
import { newTriggerWorld, type TriggerWorld } from "../../../test/support/use-cases/world-triggers.ts";
import { runHttpRoute } from "../../http-routes/run-http-route.ts";
import { buildFlowJobFields, buildScriptJobFields, enqueueJob } from "../../jobs/queue/enqueue.ts";
import { loadJson } from "../../jobs/values/values.ts";
import { callHandler, HANDLER_IDENTITY } from "../../outcome-handlers/call-handler.ts";
import { createSchedule } from "../../schedules/save.ts";
import { runAndWait } from "../requests/run-and-wait.ts";
import { type RunTarget, requestVersion, type VersionRunCall } from "../requests/run-request.ts";
import { startRun } from "../requests/start-run.ts";
import { startStreamedRun } from "../requests/start-streamed-run.ts";
import { checkPreprocessed } from "./check-preprocessed.ts";

type Args = Record<string, unknown>;
const inputSchema = { type: "object", properties: { x: { type: "string" } }, required: ["x"] };
const GOOD = { x: "$var:f/t/anything" };
const BAD = { x: 4711 };
const ISSUE = { path: "x", reason: "must be string, but is number" };

let world: TriggerWorld;
let script: Runnable;
let flow: RunnableFlow;
beforeAll(async () => {
  world = await newTriggerWorld();
  await addScriptAt(world, "f/ops/hello");
});
beforeEach(async () => {
  world.answers.run = async ({ args }) => success(args["x"] ?? null);
  script = await addChecked();
  flow = await addFlow(world, `f/t/${randomUUID()}`, [echo("a", "1")], { inputSchema });
});

/** Adds a script that checks its arguments. */
async function addChecked(fields: Partial<Runnable> = {}): Promise<Runnable> {
  const path = `f/t/${randomUUID()}`;
  const { hash } = await addScriptAt(world, path, { params: ["x"], inputSchema, ...fields });
  const head = await world.deps.objects.get(scriptVersionObject.key(world.workspace, hash));
  return { ...(head?.value as Runnable), build: head?.build as Runnable["build"] };
}

const deps = () => ({ ...world.deps, syncLimitMs: async () => 5000 });
type Event = VersionRunCall["version"]["arguments"]["event"];
const aRequest = (target: RunTarget, args: Args, event?: Event): VersionRunCall =>
  requestVersion(
    { target, arguments: { args, files: [], wrapped: false, ...(event ? { event } : {}) } },
    { actor: anAdmin, workspace: world.workspace },
  );
const ofScript = (): RunTarget => ({ kind: "script", version: script });
const ofFlow = (): RunTarget => ({ kind: "flow", version: flow });

function aRoute(own: object): FoundHttpRoute {
  const { build, ...version } = script;
  const stored = { ...triggerObject.key(world.workspace, "http", `f/t/${randomUUID()}`), version: randomUUID(), value: {} };
  const trigger: StoredTrigger = {
    ...{ id: randomUUID(), kind: "http", path: "f/t/route", scriptPath: script.path, isFlow: false, mode: "enabled", own: {} },
    ...{ email: "ann@example.com", permissionedAs: "u/ann", superAdmin: false, editedBy: "ann", editedAtMs: 0 },
  } as StoredTrigger;
  return {
    ...{ workspace: world.workspace, trigger, stored, params: {}, below: [], actor: anAdmin, credential: undefined },
    fields: httpFieldsSchema.parse({ route_path: "orders", http_method: "post", ...own }),
    head: { ...scriptHeadObject.key(world.workspace, script.path), value: version, build },
  };
}
const callRoute = (own: object) => (args: Args) =>
  runHttpRoute(
    deps(),
    aRoute(own),
    { outcome: "admitted" },
    {
      method: "POST",
      path: "orders",
      payload: { method: "POST", headers: { "content-type": "application/json" }, query: {}, bytes: Buffer.from(JSON.stringify(args)) },
      includedHeaders: [],
    },
  );

const jobs = async () => (await listJobs(world)).filter(({ path }) => path === script.path || path === flow.path);

describe("a request with arguments that do not match is refused before a job exists:", () => {
  it.each<[string, (args: Args) => Promise<unknown>]>([
    ["a script", (args) => startRun(world.deps, aRequest(ofScript(), args))],
    ["a flow", (args) => startRun(world.deps, aRequest(ofFlow(), args))],
    ["a script with its stream", (args) => startStreamedRun(world.deps, aRequest(ofScript(), args), { lastEventId: undefined })],
    ["a script with its result", (args) => runAndWait(deps(), aRequest(ofScript(), args))],
    ["a route", callRoute({ request_type: "async" })],
    ["a route with its result", callRoute({ request_type: "sync" })],
    ["a route with its stream", callRoute({ request_type: "sync_sse" })],
  ])("%s", async (_, start) => {
    await expect(start(BAD)).rejects.toMatchObject({ code: "run.arguments", details: { issues: [ISSUE] } });
    await expect(start({ _ENTRYPOINT_OVERRIDE: "other" })).rejects.toMatchObject({ code: "run.arguments" });
    expect(await jobs()).toEqual([]);
    await start({ x: "fits", more: 1 });
    expect(await jobs()).toHaveLength(1);
  });

  it("a schedule", async () => {
    const create = (args: Args) =>
      createSchedule(
        world.deps,
        { actor: anAdmin, workspace: world.workspace },
        aScheduleRequest({ path: `u/ann/${randomUUID()}`, script_path: script.path, args }),
      );
    await expect(create(BAD)).rejects.toMatchObject({ code: "run.arguments" });
    await create(GOOD);
  });
});

/** Runs everything that waits, and returns the end of the last job of the script or flow. */
async function endOf(path: string): Promise<[string, unknown]> {
  await work(world);
  const job = (await listJobs(world, path)).find(({ kind }) => kind === "script" || kind === "flow");
  if (!job || !hasEnded(job)) return [job?.state ?? "absent", undefined];
  return [job.state, await loadJson(world.deps, job, job.result)];
}
const invalid = (path: string) => ({
  error: {
    name: "ValidationError",
    message: `The arguments do not match the schema of ${path}. x: must be string, but is number.`,
  },
});

describe("a run that was accepted fails before its code runs if its arguments do not match:", () => {
  it.each<[string, (args: Args) => Promise<unknown>]>([
    [
      "a job of the queue",
      (args) => enqueueJob(world.deps, { actor: anAdmin, workspace: world.workspace, ...buildScriptJobFields(script), args }),
    ],
    [
      "a handler",
      async (args) => {
        const ended = { workspace: world.workspace, id: randomUUID() } as Parameters<typeof callHandler>[1];
        await callHandler(world.deps, ended, {
          name: "x",
          target: { kind: "script", path: script.path },
          args,
          identity: HANDLER_IDENTITY,
        });
      },
    ],
  ])("%s", async (_, start) => {
    await start(BAD);
    expect(await endOf(script.path)).toEqual(["failed", invalid(script.path)]);
    expect(world.runs.filter(({ artefact }) => artefact.key.includes(script.hash))).toEqual([]);
  });

  it("a message of a queue, which is not received again", async () => {
    const queue = await world.addQueue(`v-${randomUUID().slice(0, 8)}`, { "svc:workspace": world.workspace });
    script = await addChecked({ inputSchema: { properties: { msg: { type: "object" } } } });
    await world.create("sqs", { path: `u/ann/${randomUUID()}`, script_path: script.path, is_flow: false, queue_url: queue.url });
    expect(await world.receive(queue.arn, "text")).toEqual([]);
    const [state, result] = await endOf(script.path);
    expect([state, JSON.stringify(result)]).toEqual(["failed", expect.stringContaining("msg: must be object, but is string")]);
  });
});

describe("a flow", () => {
  const checked = (more: object = {}) => ({
    id: "b",
    value: { type: "script", path: script.path, input_transforms: { x: { type: "javascript", expr: "results.a" } } },
    ...more,
  });
  const play = async (run: string) => {
    await new Cloud(world).play(run);
    const job = await world.deps.jobs.get(run);
    return job && hasEnded(job) ? [job.state, await loadJson(world.deps, job, job.result)] : [job?.state];
  };
  const startStored = async (args: Args, preprocess?: true) => {
    const job = { actor: anAdmin, workspace: world.workspace, ...buildFlowJobFields(flow), args, ...(preprocess ? { preprocess } : {}) };
    const { id } = await enqueueJob(world.deps, job);
    await work(world);
    return id;
  };

  it("fails before its first step if its inputs do not match", async () => {
    expect(await play(await startStored(BAD))).toEqual(["failed", invalid(flow.path)]);
    expect((await play(await startStored(GOOD)))[0]).toBe("succeeded");
  });

  it("that another flow starts fails, and so does the step", async () => {
    const [state, result] = await play(await startFlow(world, [nested("n", flow.path, { x: "4711" })]));
    expect([state, result]).toEqual(["failed", { error: { ...invalid(flow.path).error, step_id: "n" } }]);
  });

  it.each([
    ["fails", {}, false],
    ["fails after its retries", { retry: { constant: { attempts: 1, seconds: 0 } } }, false],
    ["fails in a process that runs several steps", {}, true],
  ])("whose step passes arguments that do not match %s", async (_, more, same_worker) => {
    const start = (x: string) => startFlow(world, { modules: [echo("a", x), checked(more)], same_worker });
    expect(await play(await start("'fits'"))).toEqual(["succeeded", "fits"]);
    expect(await play(await start("4711"))).toEqual(["failed", { error: { ...invalid(script.path).error, step_id: "b" } }]);
    // Both steps are now known to be quick, but no runner receives the second one together with the first.
    expect(world.runs.flatMap(({ next }) => next?.runs ?? [])).toEqual([]);
  });

  it("continues after such a step if the step says so", async () => {
    const modules = [echo("a", "4711"), checked({ continue_on_error: true }), echo("c", "results.b.error.name")];
    expect(await play(await startFlow(world, { modules }))).toEqual(["succeeded", "ValidationError"]);
  });

  it.each([
    ["fails if the arguments of its preprocessor do not match", BAD, "failed"],
    ["runs with the arguments of its preprocessor, whatever the event is", { x: "fits" }, "succeeded"],
  ])("%s", async (_, made, expected) => {
    world.answers.run = async ({ args }) => success(args["event"] ? made : args["x"]);
    const value = { modules: [echo("a", "flow_input.x")], preprocessor_module: echo("preprocessor", "1") };
    flow = await addFlow(world, `f/t/${randomUUID()}`, value, { inputSchema, preprocessor: true });
    const [state, result] = await play(await startStored({ event: { kind: "webhook" } }, true));
    const problem = { error: { ...invalid(flow.path).error, step_id: "preprocessor" } };
    expect([state, result]).toEqual([expected, expected === "failed" ? problem : "fits"]);
  });
});

describe("a script with a preprocessor", () => {
  const event = { kind: "webhook" } as unknown as Event;

  it.each(["with its result", "from the queue"])(
    "runs %s in a runner that asks for the check of the preprocessor's result",
    async (how) => {
      script = await addChecked({ preprocessor: { params: ["event"] } });
      const request = aRequest(ofScript(), BAD, event);
      if (how === "from the queue") {
        await startRun(world.deps, request);
        await work(world);
      } else await runAndWait(deps(), request);
      expect(world.runs.at(-1)?.preprocessor).toEqual({ params: ["event"], checks: true });
    },
  );

  it("is told what does not match while it runs", async () => {
    const replies: unknown[] = [];
    world.answers.run = async ({ job }) => {
      replies.push(await checkPreprocessed(world.deps, job, { args: BAD }), await checkPreprocessed(world.deps, job, { args: GOOD }));
      return success(1);
    };
    script = await addChecked({ preprocessor: { params: ["event"] } });
    const { id } = await runAndWait(deps(), aRequest(ofScript(), {}, event));
    expect(replies).toEqual([{ problem: invalid(script.path).error.message }, {}]);
    await expect(checkPreprocessed(world.deps, id, { args: GOOD })).rejects.toMatchObject({ code: "job.attemptLost" });
  });
});
