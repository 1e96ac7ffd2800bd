import { beforeAll, expect, it } from "vitest";
import { hasEnded } from "../../../core/jobs/record/job.ts";
import { resultObjectKey } from "../../../core/jobs/record/retention.ts";
import { extractStream } from "../../../core/streams/stream-lines.ts";
import { success, type World } from "../../../test/support/use-cases/world.ts";
import { addJob, newScriptWorld } from "../../../test/support/use-cases/world-jobs.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { recordHeartbeat } from "../../execution/heartbeat.ts";
import { recordSecrets } from "../../secrets/masks.ts";
import { loadJson, loadLogs, storeOutput } from "../values/values.ts";

let world: World;
let hash: string;
beforeAll(async () => {
  ({ world, hash } = await newScriptWorld());
});

async function resultOf(returned: unknown, log: string, { earlier = "", uploads = false } = {}): Promise<unknown> {
  const { id } = await addJob(world, { hash });
  world.answers.run = async () => {
    const invocation = success(returned, log);
    const job = await world.deps.jobs.get(id);
    if (invocation.kind === "outcome" && job && earlier !== "") {
      for (const [offset, text] of [...earlier].entries()) await storeOutput(world.deps, job, { attempt: 1, offset, text });
      invocation.outcome.logs.offset = earlier.length;
    }
    if (invocation.kind === "outcome" && job && uploads) {
      const json = JSON.stringify(returned);
      await world.deps.storage.putObject(resultObjectKey(job, 1), json, "application/json");
      invocation.outcome = { ...invocation.outcome, result: undefined, resultUploaded: { bytes: Buffer.byteLength(json) } };
    }
    return invocation;
  };
  await handleJobMessage(world.deps, { job: id, hash });
  const job = await world.deps.jobs.get(id);
  return job && hasEnded(job) ? loadJson(world.deps, job, job.result) : expect.fail(`The job is ${job?.state}.`);
}

it("a script that only prints a stream has the stream as its result", async () => {
  expect(await resultOf(null, "start\nWM_STREAM: a\\n\nWM_STREAM: b\n")).toBe("a\nb");
  expect(await resultOf({ n: 1 }, "WM_STREAM: a\n")).toEqual({ n: 1, wm_stream: "a" });
  expect(await resultOf(7, "WM_STREAM: a\n")).toBe(7);
  expect(await resultOf(null, "no stream\n")).toBeNull();
});

it("the stream in a result includes the output that a longer run has sent before its end", async () => {
  expect(await resultOf(null, "b\nWM_STREAM: c", { earlier: "x\nWM_STREAM: a\nWM_STREAM: " })).toBe("abc");
});

it("a result that the runner stored in S3 contains the stream too", async () => {
  const uploads = { uploads: true };
  expect(await resultOf({ n: 1 }, "WM_STREAM: é\n", uploads)).toEqual({ n: 1, wm_stream: "é" });
  expect(await resultOf({ n: 1 }, "b\nWM_STREAM: c", { ...uploads, earlier: "WM_STREAM: a" })).toEqual({ n: 1, wm_stream: "abc" });
  expect(await resultOf({ n: 1 }, "no stream\n", uploads)).toEqual({ n: 1 });
  expect(await resultOf([1], "WM_STREAM: a\n", uploads)).toEqual([1]);
});

it("neither the output nor the result of a longer run shows a secret that its stream yields in pieces", async () => {
  const secret = "SECRETOFTHEVARIABLE";
  const { id } = await addJob(world, { hash });
  const shown = (text: string) =>
    [...secret].flatMap((_, at) => (at + 5 <= secret.length ? [secret.slice(at, at + 5)] : [])).filter((piece) => text.includes(piece));
  world.answers.run = async ({ token, attempt, nonce, workspace }) => {
    const job = (await world.deps.jobs.get(id)) ?? expect.fail();
    await recordSecrets(world.deps, job, { token, secrets: [secret] });
    const pieces = secret.match(/.{1,4}/g)?.map((piece) => `WM_STREAM: ${piece}\n`) ?? [];
    const [beginning, end] = [pieces.slice(0, 2).join(""), pieces.slice(2).join("")];
    await recordHeartbeat(
      world.deps,
      { id, workspace, token },
      { attempt, nonce, logs: { offset: 0, text: `WM_STREAM: x\n${beginning}` } },
    );
    const invocation = success(null, `${end}WM_STREAM: y\n`);
    if (invocation.kind === "outcome") invocation.outcome.logs.offset = `WM_STREAM: x\n${beginning}`.length;
    return invocation;
  };
  await handleJobMessage(world.deps, { job: id, hash });
  const job = await world.deps.jobs.get(id);
  if (!job || !hasEnded(job)) throw new Error(`The job is ${job?.state}.`);
  const logs = await loadLogs(world.deps, job);
  const result = await loadJson(world.deps, job, job.redactedResult ?? job.result);
  expect([shown(logs), shown(String(result)), extractStream(logs, true)]).toEqual([[], [], result]);
  expect(result).toBe(`x${"*".repeat(secret.length)}y`);
});
