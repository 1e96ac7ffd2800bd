import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { JobUpdateJson } from "../../../../../contract/routes/jobs/job.ts";
import type { StreamEventJson } from "../../../../../contract/routes/jobs/streams.ts";
import { followRun, type Offsets, READ_EVERY_MS, SILENT_MS } from "./follow-run.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function play(reads: (JobUpdateJson | Error)[] = []) {
  const close = vi.fn();
  const readFrom: Offsets[] = [];
  let send: (event: StreamEventJson) => void = () => {};
  const updates: JobUpdateJson[] = [];
  const stop = followRun(
    {
      from: { log: 0, stream: 0 },
      connect: (_, onEvent) => {
        send = onEvent;
        return close;
      },
      read: async (from) => {
        readFrom.push(from);
        const next = reads.shift() ?? {};
        if (next instanceof Error) throw next;
        return next;
      },
    },
    (update) => updates.push(update),
  );
  return { close, readFrom, send: (event: StreamEventJson) => send(event), updates, stop };
}

it("follows the events while they arrive, also if they say nothing new", async () => {
  const run = play();
  run.send({ type: "update", new_logs: "a", log_offset: 1 });
  for (let pings = 0; pings < 10; pings++) {
    await vi.advanceTimersByTimeAsync(SILENT_MS - 1);
    run.send({ type: "ping" });
  }
  run.send({ type: "update", new_logs: "b", log_offset: 2 });
  expect(run.updates.map(({ new_logs }) => new_logs)).toEqual(["a", "b"]);
  expect(run.readFrom).toEqual([]);
});

it("reads repeatedly from the same place once the stream is silent, until the run ends", async () => {
  const run = play([{ new_logs: "b", log_offset: 2 }, new Error("offline"), { new_logs: "c", log_offset: 3, completed: true }]);
  run.send({ type: "update", new_logs: "a", log_offset: 1 });
  await vi.advanceTimersByTimeAsync(SILENT_MS);
  expect(run.close).toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(READ_EVERY_MS * 10);
  expect(run.readFrom.map(({ log }) => log)).toEqual([1, 2, 2]);
  expect(run.updates.map(({ new_logs }) => new_logs)).toEqual(["a", "b", "c"]);
});

it("does nothing after its end", async () => {
  const run = play();
  run.stop();
  run.send({ type: "update", new_logs: "late" });
  await vi.advanceTimersByTimeAsync(SILENT_MS * 2);
  expect([run.updates, run.readFrom]).toEqual([[], []]);
  expect(vi.getTimerCount()).toBe(0);
});

it("ends with the run", async () => {
  const run = play();
  run.send({ type: "update", completed: true });
  expect(run.close).toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});
