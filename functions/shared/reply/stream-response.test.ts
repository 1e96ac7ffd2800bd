import { PassThrough } from "node:stream";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { afterEach, expect, it, vi } from "vitest";
import { limits } from "../../../contract/limits.ts";
import type { Reply } from "./reply.ts";
import { streamHandler } from "./stream-response.ts";

type Handle = (event: APIGatewayProxyEvent, stream: PassThrough, context: Context) => Promise<void>;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Calls the handler of an endless stream as Lambda's runtime does. `raw`: the stream from which the platform reads the response. */
function call(raw: PassThrough, part: string) {
  vi.stubGlobal("awslambda", {
    streamifyResponse: (handle: Handle) => handle,
    HttpResponseStream: { from: (stream: PassThrough) => stream },
  });
  const sent = { parts: 0, isFreed: false };
  let wake = () => {};
  async function* chunks(gone: AbortSignal): AsyncGenerator<string> {
    gone.addEventListener("abort", () => wake(), { once: true });
    try {
      while (!gone.aborted) {
        sent.parts += 1;
        yield part;
        if (sent.parts === 3)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      sent.isFreed = true;
    }
  }
  const reply: Reply = { statusCode: 200, headers: {}, body: "", chunks };
  const handler = streamHandler(async () => reply) as Handle;
  return { sent, done: handler({} as APIGatewayProxyEvent, raw, {} as Context) };
}

it("a stream ends and frees its slot as soon as the platform reports that its reader has left", async () => {
  const raw = new PassThrough();
  raw.resume();
  const { sent, done } = call(raw, "data");
  await expect.poll(() => sent.parts).toBe(3);
  raw.destroy();
  await done;
  expect(sent).toEqual({ parts: 3, isFreed: true });
});

it("a stream ends when a write fails, however many fail", async () => {
  const raw = new PassThrough();
  raw.resume();
  const { sent, done } = call(raw, "data");
  await expect.poll(() => sent.parts).toBe(3);
  for (const nth of [1, 2]) raw.emit("error", new Error(`write ${nth} failed: EPIPE`));
  await done;
  expect(sent).toEqual({ parts: 3, isFreed: true });
});

it.each([
  ["that the platform still reads", true, 3],
  ["that is not read any more, with a full buffer", false, 1],
])(
  "a stream %s ends after the longest duration of a stream if the platform does not report that its reader has left",
  async (_, isRead, parts) => {
    vi.useFakeTimers();
    const raw = new PassThrough({ highWaterMark: 1 });
    if (isRead) raw.resume();
    const { sent, done } = call(raw, "data");
    await vi.advanceTimersByTimeAsync(limits.streamMs);
    expect(sent).toEqual({ parts, isFreed: false });
    await vi.advanceTimersByTimeAsync(limits.streamGraceMs);
    await done;
    expect(sent).toEqual({ parts, isFreed: true });
  },
);
