import { describe, expect, it } from "vitest";
import { Refused } from "../../../shared/service.ts";
import { pauseMs, retry } from "./retry.ts";

function newClock() {
  const pauses: number[] = [];
  const { signal } = new AbortController();
  const wait = async (ms: number) => void pauses.push(ms);
  return { pauses, options: { wait, signal } };
}

describe("a request", () => {
  it("is repeated after temporary failures, with growing pauses", async () => {
    const { pauses, options } = newClock();
    const statuses = [0, 503, 429];
    const request = async () => {
      const status = statuses.shift();
      if (status !== undefined) throw new Refused(status, "", "");
      return "stored";
    };
    expect(await retry(request, options)).toBe("stored");
    expect(pauses).toHaveLength(3);
    expect(pauses[2]).toBeGreaterThanOrEqual(pauses[0] ?? 0);
  });

  it.each([400, 403, 404, 409, 413])("is not repeated after a refusal with status %i", async (status) => {
    const { pauses, options } = newClock();
    const request = () => Promise.reject(new Refused(status, "", ""));
    await expect(retry(request, options)).rejects.toMatchObject({ status });
    expect(pauses).toEqual([]);
  });

  it("fails with its last failure after six attempts", async () => {
    const { pauses, options } = newClock();
    await expect(retry(() => Promise.reject(new Refused(503, "", "")), options)).rejects.toMatchObject({ status: 503 });
    expect(pauses).toHaveLength(5);
  });

  it("is not repeated after the person has paused the upload", async () => {
    const controller = new AbortController();
    const request = async () => {
      controller.abort(new Error("paused"));
      throw new Refused(0, "", "");
    };
    const wait = () => Promise.reject(new Error("waited"));
    await expect(retry(request, { wait, signal: controller.signal })).rejects.toThrow("paused");
  });
});

it.each([
  [1, 500, 1000],
  [2, 1000, 2000],
  [5, 8000, 16_000],
])("the pause after %i failures is at least %i ms and at most %i ms", (failures, least, most) => {
  expect([pauseMs(failures, 0), pauseMs(failures, 1)]).toEqual([least, most]);
});
