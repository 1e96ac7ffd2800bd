import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { hasEnded } from "../../../core/jobs/record/job.ts";
import { repeatedCallObject } from "../../../core/jobs/repeated-call.ts";
import { formatEventId } from "../../../core/streams/event-id.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { addScript, addWorkspace, listJobs, passLease, work } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { requestVersion, type VersionRunCall } from "./run-request.ts";
import { startStreamedRun } from "./start-streamed-run.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

async function aRequest(retentionMs?: number): Promise<VersionRunCall> {
  const version = await addScript(world, { path: `f/t/${randomUUID()}` });
  const idempotencyKey =
    retentionMs === undefined ? undefined : { key: repeatedCallObject.key(randomUUID()), fingerprint: "same", retentionMs };
  return requestVersion(
    { target: { kind: "script", version }, arguments: { args: {}, files: [], wrapped: false } },
    { actor: anAdmin, workspace: world.workspace, idempotencyKey },
  );
}

const start = (request: VersionRunCall, lastEventId?: string, deps: Partial<World["deps"]> = {}) =>
  startStreamedRun({ ...world.deps, ...deps }, request, { lastEventId });
const countJobs = async ({ version: { target } }: VersionRunCall) => (await listJobs(world, target.version.path)).length;

describe("a streamed run", () => {
  it("continues by the id of an event after the caller's own key has expired", async () => {
    const request = await aRequest(60_000);
    const first = await start(request);
    // DynamoDB has removed it.
    if (request.job.idempotencyKey) await world.deps.objects.deleteItem(request.job.idempotencyKey.key);
    const lastEventId = formatEventId({ ...first.from, stream: 7 });
    expect(await start(request, lastEventId)).toMatchObject({ id: first.id, replayed: true, from: { stream: 7, run: first.from.run } });
    expect(await countJobs(request)).toBe(1);
  });

  it("continues by the caller's key from the offset in the id, and a new run begins at its beginning", async () => {
    const request = await aRequest(60_000);
    const first = await start(request, "5");
    expect([first.replayed, first.from.stream]).toEqual([false, 0]);
    expect(await start(request, "5")).toMatchObject({ id: first.id, replayed: true, from: { stream: 5, run: undefined } });
    expect((await start(await aRequest(), "5-end")).from).toMatchObject({ stream: 0, run: expect.any(String) });
  });

  it("continues for each of two callers who started it with the same key at the same moment", async () => {
    const request = await aRequest(60_000);
    const streamed = await Promise.all([start(request), start(request), start(request)]);
    for (const { id, from } of streamed) expect(await start(request, formatEventId({ ...from, stream: 3 }))).toMatchObject({ id });
    expect(await countJobs(request)).toBe(1);
  });

  it("leaves no job if its message cannot be sent, because only a caller with a key can repeat the same call", async () => {
    const sendMessage = async () => {
      throw new Error("The queue takes no message.");
    };
    const queue = { ...world.deps.queue, sendMessage };
    for (const [request, jobs] of [
      [await aRequest(), 0],
      [await aRequest(60_000), 1],
    ] as const) {
      await expect(start(request, undefined, { queue })).rejects.toThrow("The queue takes no message.");
      expect(await countJobs(request)).toBe(jobs);
    }
  });

  it("leaves no job or one that runs once, whichever of its writes fails", async () => {
    await expectToSurviveFaults(async () => {
      const request = await aRequest();
      let answered: string | undefined;
      return {
        act: async () => {
          answered = (await start(request)).id;
        },
        recover: async () => undefined,
        check: async () => {
          await work(world);
          await passLease(world);
          const jobs = await listJobs(world, request.version.target.version.path);
          expect(jobs.length).toBeLessThan(2);
          if (answered !== undefined) expect(jobs.map(({ id }) => id)).toEqual([answered]);
          for (const job of jobs) expect([hasEnded(job), world.runs.filter((run) => run.job === job.id).length]).toEqual([true, 1]);
        },
      };
    });
  });
});
