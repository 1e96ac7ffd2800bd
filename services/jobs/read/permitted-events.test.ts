import { expect, it } from "vitest";
import { SvcError } from "../../../contract/errors.ts";
import { streamWhilePermitted } from "./permitted-events.ts";
import type { StreamEvent } from "./streams/stream.ts";

const job = "00000000-0000-7000-8000-000000000001";
const ping = (stream: number): StreamEvent => ({ at: { stream }, data: { type: "ping" } });

/** Plays events that are `stepMs` apart, and returns what the reader receives and the number of checks of the reader's rights. */
async function play({ events, stepMs, revokedAfter = Number.POSITIVE_INFINITY, failure }: Play) {
  const clock = { nowMs: 0 };
  let checks = 0;
  const checkAccess = async () => {
    checks += 1;
    if (checks > revokedAfter) throw failure ?? new SvcError("job.notFound", { id: job });
  };
  async function* source() {
    for (const event of events) {
      clock.nowMs += stepMs;
      if (event instanceof Error) throw event;
      yield event;
    }
  }
  const received: StreamEvent[] = [];
  for await (const event of streamWhilePermitted({ checkAccess, nowMs: () => clock.nowMs }, source(), { job, from: { stream: 7 } }))
    received.push(event);
  return { received, checks };
}
interface Play {
  events: (StreamEvent | Error)[];
  stepMs: number;
  revokedAfter?: number;
  failure?: Error;
}

it("the rights of a stream's reader are checked again every 15 seconds", async () => {
  const events = [ping(8), ping(9), ping(10), ping(11)];
  expect(await play({ events, stepMs: 5000 })).toEqual({ received: events, checks: 1 });
  expect(await play({ events, stepMs: 15_000 })).toEqual({ received: events, checks: 4 });
});

it("a stream ends with the last position once its reader may no longer read the job", async () => {
  const { received } = await play({ events: [ping(8), ping(9), ping(10)], stepMs: 15_000, revokedAfter: 1 });
  expect(received).toEqual([ping(8), { at: { stream: 8 }, data: { type: "not_found" } }]);
  const { received: none } = await play({ events: [ping(8)], stepMs: 15_000, revokedAfter: 0 });
  expect(none).toEqual([{ at: { stream: 7 }, data: { type: "not_found" } }]);
});

it("a failure of a stream, or of the check of its reader, ends it with an error and the last position", async () => {
  const error = { type: "error", error: "An internal error occurred. Reconnect with the id of the last event." };
  const { received } = await play({ events: [ping(8), new Error("The table does not respond.")], stepMs: 0 });
  expect(received).toEqual([ping(8), { at: { stream: 8 }, data: error }]);
  const failure = new Error("The table does not respond.");
  const { received: unchecked } = await play({ events: [ping(8)], stepMs: 15_000, revokedAfter: 0, failure });
  expect(unchecked).toEqual([{ at: { stream: 7 }, data: error }]);
});
