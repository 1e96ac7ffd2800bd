import { expect, it } from "vitest";
import { limits } from "../../../../contract/limits.ts";
import { addJob, newScriptWorld } from "../../../../test/support/use-cases/world-jobs.ts";
import { findLastStep } from "../../../flows/inspection/last-step.ts";
import { streamJobEvents } from "./stream.ts";

/** A poll reads the clock two or three times. */
const READING_MS = limits.streamPollMs / 2;

it("a stream without news is never silent for longer than a ping and one poll, and ends itself after 90 s", async () => {
  const { world, hash } = await newScriptWorld();
  const { id } = await addJob(world, { hash });
  const { jobs, storage } = world.deps;
  // The clock moves with each reading, so that each poll takes as long as the slowest one.
  let nowMs = 0;
  const deps = {
    jobs,
    storage,
    nowMs: () => {
      nowMs += READING_MS;
      return nowMs;
    },
    findLastStep: (flow: Parameters<typeof findLastStep>[1]) => findLastStep({ jobs, storage }, flow),
  };
  const request = { poll_delay_ms: 1, running: false };
  const arrivals: { atMs: number; type: string }[] = [];
  const events = streamJobEvents(deps, { workspace: world.workspace, id }, request, {
    untilMs: limits.streamMs,
    gone: new AbortController().signal,
  });
  for await (const { data } of events) arrivals.push({ atMs: nowMs, type: String(data["type"]) });

  expect(arrivals.at(-1)?.type).toBe("timeout");
  expect(new Set(arrivals.slice(0, -1).map(({ type }) => type))).toEqual(new Set(["ping"]));
  const silences = arrivals.map(({ atMs }, index) => atMs - (arrivals[index - 1]?.atMs ?? 0));
  expect(Math.max(...silences)).toBeLessThanOrEqual(limits.streamPingMs + 2 * limits.streamPollMs);
  // Three readings follow the last one before the end.
  expect(arrivals.at(-1)?.atMs).toBeLessThanOrEqual(limits.streamMs + 3 * READING_MS);
});

it("a stream ends itself in time, however long its reader wants between two polls", async () => {
  const { world, hash } = await newScriptWorld();
  const { id } = await addJob(world, { hash });
  const deps = { ...world.deps, nowMs: Date.now, findLastStep: async () => undefined };
  const startedMs = Date.now();
  const limit = { untilMs: startedMs + 50, gone: new AbortController().signal };
  const types: string[] = [];
  for await (const { data } of streamJobEvents(deps, { workspace: world.workspace, id }, { poll_delay_ms: limits.streamPollMs }, limit))
    types.push(data.type);
  expect([types.at(-1), Date.now() - startedMs < limits.streamPollMs / 2]).toEqual(["timeout", true]);
});
