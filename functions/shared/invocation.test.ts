import type { Context } from "aws-lambda";
import { expect, it, vi } from "vitest";
import { handleCall, messageHandler } from "./edge/messages.ts";
import { remainingTimeMs } from "./invocation.ts";
import { logger } from "./observe.ts";

logger.setLogLevel("CRITICAL");
const contextOf = (ms: number) => ({ awsRequestId: "r", getRemainingTimeInMillis: () => ms }) as Context;

it("a message and a call know how much time their invocation has left", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
  try {
    let left = -1;
    const readTime = async () => {
      left = remainingTimeMs();
    };
    await messageHandler(readTime)({ Records: [{ messageId: "1", body: '{"job":"j"}' }] } as never, contextOf(900_000));
    expect(left).toBe(900_000);
    await handleCall([], readTime, contextOf(5000));
    expect(left).toBe(5000);
    vi.setSystemTime(Date.now() + 60_000);
    expect(remainingTimeMs()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
