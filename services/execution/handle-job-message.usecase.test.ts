import { afterAll, describe, expect, it } from "vitest";
import { hasEnded } from "../../core/jobs/record/job.ts";
import { parseRunnerAnswer } from "../../core/jobs/runner-answer.ts";
import { type RunReport, registerTelemetry } from "../../core/telemetry/telemetry.ts";
import { changedAnswers } from "../../test/builders/runner-answers.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, success } from "../../test/support/use-cases/world.ts";
import { addJob, addScript, addWorkspace, passTime } from "../../test/support/use-cases/world-jobs.ts";
import { loadLogs, loadValue } from "../jobs/values/values.ts";
import { handleJobMessage } from "./handle-job-message.ts";

/** Results that are stored in the head, in a separate item, and in S3. */
const results = { small: 1, "middle-sized": "m".repeat(2000), large: "l".repeat(20_000) };

describe("handleJobMessage, whichever of its writes fails,", () => {
  it.each(Object.entries(results))("ends the job once, with its %s result and its logs", async (_, result) => {
    const writes = await expectToSurviveFaults(async () => {
      const world = await newWorld();
      const { deps } = world;
      await addWorkspace(world);
      const { hash } = await addScript(world);
      const { id } = await addJob(world, { hash, cacheTtlS: 600 });
      world.answers.run = async () => success(result);
      return {
        act: () => handleJobMessage(deps, { job: id, hash }),
        recover: () => passTime(world),
        check: async () => {
          const job = await deps.jobs.get(id);
          if (!job || !hasEnded(job)) throw new Error(`The job is ${job?.state}.`);
          expect(job.state).toBe("succeeded");
          expect(JSON.parse(await loadValue(deps, job, job.result))).toEqual(result);
          expect(await loadLogs(deps, job)).toContain("a line\n");
          expect(await deps.jobs.listDue(0, Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
        },
      };
    });
    expect(writes).toBeGreaterThanOrEqual(3);
  });
});

describe("handleJobMessage, whatever a script returns in place of its runner,", () => {
  it("ends the job and never throws", async () => {
    const world = await newWorld();
    const { deps } = world;
    await addWorkspace(world);
    const { hash } = await addScript(world);
    // Values of the same kind take the same code path, so one of each suffices for the fields that a script chooses freely.
    const answers = changedAnswers
      .filter(({ path, value }) => !path.startsWith("next.0.") && !(/\.(x|svc_status_code)$/.test(path) && value !== null))
      .flatMap(({ answer }) => (answer["outcome"] === "success" ? [answer, { ...answer, outcome: "failure" }] : [answer]))
      .map((answer) => parseRunnerAnswer(JSON.stringify(answer)));
    const usable = answers.filter(({ kind }) => kind === "outcome");
    const [lost] = answers.filter(({ kind }) => kind === "lost");
    for (const answer of [...usable, ...(lost ? [lost] : [])]) {
      const { id } = await addJob(world, { hash, preprocess: "wanted" });
      world.answers.run = async () => answer;
      await handleJobMessage(deps, { job: id, hash });
      const job = await deps.jobs.get(id);
      if (!job || !hasEnded(job)) throw new Error(`The job is ${job?.state} after ${JSON.stringify(answer)}.`);
      await loadLogs(deps, job);
    }
    expect([usable.length > 50, lost?.kind]).toEqual([true, "lost"]);
  });
});

describe("the log of the function that calls a runner", () => {
  afterAll(() => registerTelemetry({ failure: () => undefined, count: () => undefined }));

  it("contains each run, and each fault of a runner, which users do not see", async () => {
    const [failures, runs]: [unknown[], RunReport[]] = [[], []];
    registerTelemetry({
      failure: (...report) => void failures.push(report),
      count: () => undefined,
      ran: (run) => void runs.push(run),
    });
    const world = await newWorld();
    const { deps } = world;
    await addWorkspace(world);
    const { hash } = await addScript(world);
    const { id } = await addJob(world, { hash });
    const timings = { setupMs: 1.234, runMs: 2, totalMs: 3, freshHost: true };
    world.answers.run = async () => ({
      kind: "outcome",
      outcome: {
        outcome: "failure",
        error: { name: "RunnerError", message: "The runner failed before the script's outcome was known." },
        problem: `Error: no space left ${"x".repeat(5000)}`,
        logs: { offset: 0, text: "" },
        timings,
      },
    });
    await handleJobMessage(deps, { job: id, hash });
    expect(runs).toEqual([
      expect.objectContaining({ job: id, workspace: world.workspace, attempt: 1, outcome: "failure", setupMs: 1.23, totalMs: 3 }),
    ]);
    expect(failures).toEqual([["A runner failed", expect.stringMatching(/^Error: no space left x{1900,1980}$/), { job: id, attempt: 1 }]]);
    const job = await deps.jobs.get(id);
    if (!job || !hasEnded(job)) throw new Error(`The job is ${job?.state}.`);
    expect([JSON.stringify(job), await loadValue(deps, job, job.result), await loadLogs(deps, job)].join("\n")).not.toContain(
      "no space left",
    );
  });
});
