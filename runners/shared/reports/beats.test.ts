import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { BeatReply } from "../../protocol.ts";
import { Beats } from "./beats.ts";
import type { InternalRoute } from "./internal-route.ts";
import { LogBuffer } from "./log-buffer.ts";

describe("Beats", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function start(reply: (call: number) => BeatReply | undefined, watched = false, executorWaitsMs = 0) {
    const startMs = Date.now();
    const calls: { atMs: number; text: string | undefined }[] = [];
    const route = {
      async beat(body: { logs?: { text: string } }) {
        calls.push({ atMs: Date.now() - startMs, text: body.logs?.text });
        const answer = reply(calls.length);
        return answer ? { acknowledged: true, reply: answer } : { acknowledged: false };
      },
    } as unknown as InternalRoute;
    const log = new LogBuffer(10_000_000);
    const stops: string[] = [];
    const beats = new Beats({ route, log, watched, executorWaitsMs, memPeakKb: () => 0, onStop: (reason) => stops.push(reason) });
    const print = (text: string) => {
      log.push(Buffer.from(text));
      beats.wake();
    };
    return { calls, stops, beats, print };
  }
  const on = (watched = false): BeatReply => ({ go: "on", watched });

  it("no heartbeat is sent in the first second", async () => {
    const { calls, beats, print } = start(() => on());
    print("x".repeat(200_000));
    await vi.advanceTimersByTimeAsync(999);
    await beats.end();
    expect(calls).toEqual([]);
  });

  it("the first output is sent at once if the job is watched from the start, and no heartbeat without output", async () => {
    const { calls, beats, print } = start(() => on(true), true);
    await vi.advanceTimersByTimeAsync(300);
    expect(calls).toEqual([]);
    print("first");
    await vi.advanceTimersByTimeAsync(0);
    expect(calls).toEqual([{ atMs: 300, text: "first" }]);
    print("second");
    await vi.advanceTimersByTimeAsync(200);
    expect(calls[1]).toEqual({ atMs: 500, text: "second" });
    await beats.end();
  });

  it("a heartbeat is sent every two seconds in the first minute, then every five", async () => {
    const { calls } = start(() => on());
    await vi.advanceTimersByTimeAsync(80_000);
    const times = calls.map(({ atMs }) => atMs);
    expect(times.slice(0, 3)).toEqual([1000, 3000, 5000]);
    expect(times.filter((atMs) => atMs > 62_000)).toEqual([66_000, 71_000, 76_000]);
  });

  it("output is sent every 200 ms only while the job is watched", async () => {
    const { calls, print } = start((call) => on(call >= 2));
    for (let i = 0; i < 40; i++) {
      print(`${i} `);
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(calls.map(({ atMs }) => atMs)).toEqual([1000, 3000, 3200, 3400, 3600, 3800, 4000]);
    expect(calls.map(({ text }) => text).join("")).toBe(Array.from({ length: 40 }, (_, i) => `${i} `).join(""));
  });

  it("64 KB of output are sent at once", async () => {
    const { calls, print } = start(() => on());
    await vi.advanceTimersByTimeAsync(1500);
    print("x".repeat(65_536));
    await vi.advanceTimersByTimeAsync(1);
    expect(calls.at(-1)).toEqual({ atMs: 1500, text: "x".repeat(65_536) });
  });

  it("failed heartbeats are repeated each second, and stop the job after 40 s without acknowledgement", async () => {
    const { calls, stops } = start((call) => (call === 1 ? on() : undefined));
    await vi.advanceTimersByTimeAsync(40_500);
    expect(stops).toEqual([]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(stops).toHaveLength(1);
    expect(calls.length).toBeGreaterThan(30);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stops).toHaveLength(1);
  });

  it("unacknowledged heartbeats do not stop the job while its executor waits and renews the lease", async () => {
    const { stops } = start(() => undefined, false, 120_000);
    await vi.advanceTimersByTimeAsync(119_000);
    expect(stops).toEqual([]);
    await vi.advanceTimersByTimeAsync(3000);
    expect(stops).toHaveLength(1);
  });

  it("after its executor has left, the job stops 40 s after the last acknowledgement", async () => {
    const { stops } = start((call) => (call < 35 ? on() : undefined), false, 90_000);
    await vi.advanceTimersByTimeAsync(100_000);
    expect(stops).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stops).toHaveLength(1);
  });

  it("a heartbeat stops the job with the reason of the service", async () => {
    const { stops, beats } = start(() => ({ go: "stop", reason: "canceled by ada", watched: false }));
    await vi.advanceTimersByTimeAsync(1000);
    expect(stops).toEqual(["canceled by ada"]);
    expect(beats.refused).toBe(true);
  });
});
