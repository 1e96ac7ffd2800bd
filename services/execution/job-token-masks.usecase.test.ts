import { beforeAll, describe, expect, it } from "vitest";
import { argsVisibleTo, hasEnded, type Job, PEOPLE, resultVisibleTo } from "../../core/jobs/record/job.ts";
import type { RunRequest } from "../../runners/protocol.ts";
import { failure, success, type World } from "../../test/support/use-cases/world.ts";
import { addJob, newScriptWorld } from "../../test/support/use-cases/world-jobs.ts";
import { loadLogs, loadValue } from "../jobs/values/values.ts";
import { handleJobMessage } from "./handle-job-message.ts";
import { recordHeartbeat } from "./heartbeat.ts";

let world: World;
let hash: string;
beforeAll(async () => {
  ({ world, hash } = await newScriptWorld());
});

/** Runs a script that prints its token, and returns everything that people see of the job. */
async function runPrinting(
  answer: (request: RunRequest) => ReturnType<typeof success>,
): Promise<{ job: Job; token: string; seen: string }> {
  const { deps } = world;
  const { id } = await addJob(world, { hash });
  let token = "";
  world.answers.run = async (request) => {
    token = request.token;
    const { attempt, nonce } = request;
    const logs = { offset: 0, text: `begin ${token} end\nWM_STREAM: ${token}\n` };
    await recordHeartbeat(deps, { id, workspace: world.workspace, token }, { attempt, nonce, logs });
    const answered = answer(request);
    if (answered.kind === "outcome") answered.outcome.logs.offset = logs.text.length;
    return answered;
  };
  await handleJobMessage(deps, { job: id, hash });
  const job = await deps.jobs.get(id);
  if (!job || !hasEnded(job)) throw new Error(`The job is ${job?.state}.`);
  const values = await Promise.all([argsVisibleTo(PEOPLE, job), resultVisibleTo(PEOPLE, job)].map((value) => loadValue(deps, job, value)));
  return { job, token, seen: [...values, await loadLogs(deps, job)].join("\n") };
}
const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("the token of a job", () => {
  it("is masked in its output, its stream and its result, and a job of its run tree receives the unmasked result", async () => {
    const { job, token, seen } = await runPrinting(({ token: own }) =>
      success({ token: own, header: `Basic ${base64(`x:${own}`)}` }, "end\n"),
    );
    expect(token.length).toBeGreaterThan(100);
    expect(seen).toContain("begin ***");
    expect(seen).not.toContain(token.slice(20, 60));
    expect(seen).not.toContain(base64(`x:${token}`).slice(20, 60));
    if (!hasEnded(job)) throw new Error("The job has not ended.");
    const whole = await loadValue(world.deps, job, resultVisibleTo({ kind: "job", jobId: job.id }, job));
    expect(JSON.parse(whole)).toMatchObject({ token });
  });

  it("is masked in an error", async () => {
    const { token, seen } = await runPrinting(({ token: own }) => failure(`401 for ${own}`));
    expect(seen).toContain("401 for ***");
    expect(seen).not.toContain(token.slice(20, 60));
  });

  it("leaves ordinary values as they are", async () => {
    const { job } = await runPrinting(() => success({ a: [1, "two"] }));
    expect(job).not.toHaveProperty("redactedResult");
  });
});
