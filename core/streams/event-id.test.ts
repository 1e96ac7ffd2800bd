import { expect, it } from "vitest";
import { formatEventId, parseEventId } from "./event-id.ts";

const run = "0123456789abcdef0123456789abcdef";

it.each([
  ["12", { stream: 12 }],
  ["12.340", { stream: 12, log: 340 }],
  [`0-${run}`, { stream: 0, run }],
  [`12.0-${run}-end`, { stream: 12, log: 0, run, ended: true }],
  ["7-end", { stream: 7, ended: true }],
])("%s is the id of one position and begins with the offset in the stream", (id, position) => {
  expect(formatEventId(position)).toBe(id);
  expect(parseEventId(id)).toEqual({ log: undefined, run: undefined, ended: false, ...position });
  expect(Number.parseInt(id, 10)).toBe(position.stream);
});

it.each([undefined, "", "-1", "1.", "1-", "1-end-end", `1-${run}0`, `1-${run.toUpperCase()}`, "1234567890123456", "1\n"])(
  "%j is no position",
  (id) => {
    expect(parseEventId(id)).toBeUndefined();
  },
);
