import { describe, expect, it } from "vitest";
import { Refused } from "../../../shared/service.ts";
import { listMissing, type PartRange, sendParts } from "./send-parts.ts";

const state = { size: 20, part_bytes: 8, parts: 3, stored: [2] };

interface Sending {
  /** Is called for each attempt to send a part. */
  attempt: (part: PartRange, signal: AbortSignal) => Promise<void>;
  signal?: AbortSignal;
}

/** Sends the parts of a file, and notes what was reported. */
async function send({ attempt, signal = new AbortController().signal }: Sending, parts = state) {
  const shown: number[] = [];
  const stored: number[] = [];
  const numbers: number[] = [];
  const ended = await sendParts(parts, {
    send: async (part, { onBytes, signal: either }) => {
      numbers.push(part.number);
      onBytes(1);
      await attempt(part, either);
    },
    wait: async () => undefined,
    onBytes: (bytes) => shown.push(bytes),
    onStored: (bytes) => stored.push(bytes),
    signal,
  }).catch((error: unknown) => error);
  return { shown, stored, numbers, ended };
}

describe("the parts of a file", () => {
  it("that the storage has are not sent again, and the last one is shorter", () => {
    expect(listMissing(state)).toEqual([
      { number: 1, from: 0, to: 8 },
      { number: 3, from: 16, to: 20 },
    ]);
    expect(listMissing({ ...state, stored: [1, 2, 3] })).toEqual([]);
  });

  it("are sent with a progress that begins with the stored bytes and ends with the size", async () => {
    const { shown, stored, numbers, ended } = await send({ attempt: async () => undefined });
    expect(ended).toBeUndefined();
    expect(numbers.sort()).toEqual([1, 3]);
    expect([shown[0], shown.at(-1), stored.at(-1)]).toEqual([8, 20, 20]);
  });

  it("are sent again one by one after a lost connection", async () => {
    let losses = 2;
    const attempt = async ({ number }: PartRange) => {
      if (number === 3 && losses-- > 0) throw new Refused(0, "page.offline", "");
    };
    const { numbers, ended } = await send({ attempt });
    expect(ended).toBeUndefined();
    expect(numbers.sort()).toEqual([1, 3, 3, 3]);
  });

  it("end with the first refusal, which also ends those that are being sent", async () => {
    let isAborted = false;
    const attempt = async ({ number }: PartRange, signal: AbortSignal) => {
      if (number === 3) throw new Refused(404, "page.uploadRefused", "");
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    };
    const { ended, stored } = await send({
      attempt: (part, signal) =>
        attempt(part, signal).catch((error) => {
          isAborted ||= signal.aborted;
          throw error;
        }),
    });
    expect([ended, stored]).toEqual([expect.objectContaining({ status: 404 }), []]);
    expect(isAborted).toBe(true);
  });

  it("are at most three at once", async () => {
    let running = 0;
    let most = 0;
    const attempt = async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
    };
    await send({ attempt }, { size: 80, part_bytes: 8, parts: 10, stored: [] });
    expect(most).toBe(3);
  });

  it("are not sent any more when the person has paused", async () => {
    const controller = new AbortController();
    const attempt = async () => controller.abort(new Error("paused"));
    const { ended, numbers } = await send({ attempt, signal: controller.signal }, { size: 80, part_bytes: 8, parts: 10, stored: [] });
    expect(ended).toMatchObject({ message: "paused" });
    expect(numbers.length).toBeLessThanOrEqual(3);
  });
});
