import { afterEach, expect, it, vi } from "vitest";
import { type Refused, send } from "./service.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const refusal = (input: Parameters<typeof send>[0] = { method: "GET", address: "/api/version" }) =>
  send(input).then(
    () => undefined,
    (error: unknown) => error,
  );

async function refusalOf(status: number, text: string, headers: Record<string, string> = {}) {
  vi.stubGlobal("fetch", async () => new Response(text, { status, headers }));
  const { message, code } = (await refusal()) as Refused;
  return { message, code };
}

it("shows the sentence and the code of the service", async () => {
  const headers = { "x-svc-error": "job.notFound" };
  expect(await refusalOf(404, "There is no job 1.", headers)).toEqual({ message: "There is no job 1.", code: "job.notFound" });
  expect(await refusalOf(503, "Try again.", { "x-svc-error": "service.busy" })).toEqual({ message: "Try again.", code: "service.busy" });
});

it("says in words what a reply of another server means", async () => {
  const words = async (status: number, text: string) => (await refusalOf(status, text)).message;
  expect(await words(429, '{"message":"Too Many Requests"}')).toBe("The service receives too many requests. Wait a moment and try again.");
  expect(await words(500, "Internal Server Error")).toBe("The service can't answer at the moment. Try again in a moment.");
  expect(await words(503, "<html><h1>503</h1></html>")).toBe("The service can't answer at the moment. Try again in a moment.");
  expect(await words(413, "")).toBe("The request is larger than the service accepts.");
  expect(await words(403, "<html>")).toBe("The request was refused before it reached the service (status 403).");
  expect(await words(403, "")).toBe("The request was refused before it reached the service (status 403).");
});

it("says that the service did not respond: offline, after a minute without an answer, and after half of one", async () => {
  const offline = { status: 0, code: "page.offline", message: "The service did not respond. Check your connection and try again." };
  vi.stubGlobal("fetch", async () => Promise.reject(new TypeError("Failed to fetch")));
  expect(await refusal()).toMatchObject(offline);

  const stalls = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort(new DOMException("", "TimeoutError")));
  vi.stubGlobal("fetch", async (_: string, { signal }: RequestInit) => Promise.reject(signal?.reason));
  expect(await refusal()).toMatchObject(offline);
  expect(stalls).toHaveBeenCalledWith(60_000);

  vi.stubGlobal("fetch", async () => new Response(new ReadableStream({ pull: (body) => body.error(new TypeError("network error")) })));
  expect(await refusal()).toMatchObject(offline);
});

it("throws the reason of a caller that no longer needs the answer", async () => {
  const reason = new Error("another page");
  vi.stubGlobal("fetch", async (_: string, { signal }: RequestInit) => Promise.reject(signal?.reason));
  expect(await refusal({ method: "GET", address: "/api/version", signal: AbortSignal.abort(reason) })).toBe(reason);
});
