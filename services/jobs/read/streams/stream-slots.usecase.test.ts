import { beforeAll, describe, expect, it } from "vitest";
import { takeCounts } from "../../../../aws/sdk/request-counts.ts";
import { describeError, isSvcError } from "../../../../contract/errors.ts";
import { limits } from "../../../../contract/limits.ts";
import { openStreamObject } from "../../../../core/streams/stream-slot.ts";
import { newWorld, type World } from "../../../../test/support/use-cases/world.ts";
import { anAdmin } from "../../../../test/support/use-cases/world-people.ts";
import { type StreamReader, takeStreamSlot, toAddressReader, toTokenReader } from "./stream-slots.ts";

const EXPIRY_MS = limits.streamMs + limits.streamGraceMs;

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

/** Opens streams at the same time, and returns the functions that free their slots and the refusals. */
async function open(reader: StreamReader, count: number) {
  const taken = await Promise.allSettled(Array.from({ length: count }, () => takeStreamSlot(world.deps, reader)));
  const refusals = taken.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  return { freeing: taken.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])), refusals };
}

const countTaken = async ({ hash }: StreamReader) => (await world.deps.objects.list(openStreamObject.partitionKey(hash))).length;

describe("the streams of a reader", () => {
  it.each([
    ["a token", toTokenReader({ ...anAdmin, tokenHash: "one" }), limits.streamsPerToken, /^This token has 20 open streams/],
    ["an address", toAddressReader("203.0.113.9"), limits.streamsPerAddress, /^Your network address has 5 open streams/],
  ] as const)("with %s are limited when 60 open at once, and again after all have ended", async (_, reader, limit, sentence) => {
    for (const round of [1, 2]) {
      const { freeing, refusals } = await open(reader, 60);
      expect([round, freeing.length, refusals.length, await countTaken(reader)]).toEqual([round, limit, 60 - limit, limit]);
      for (const refusal of refusals) {
        if (!isSvcError(refusal)) throw refusal;
        expect(refusal.code).toBe("stream.tooMany");
        expect(describeError(refusal)).toMatchObject({ status: 429, sentence: expect.stringMatching(sentence) });
        const { retryAfterS } = refusal.details as { retryAfterS: number };
        expect(retryAfterS).toBeGreaterThanOrEqual(1);
        expect(retryAfterS).toBeLessThanOrEqual(EXPIRY_MS / 1000);
      }
      await Promise.all(freeing.map((free) => free()));
      expect(await countTaken(reader)).toBe(0);
    }
  });

  it("are those of one token, one job, or one network", async () => {
    const job = { ...anAdmin, kind: "job", jobId: "j", attempt: 1, workspace: "w", permissionedAs: "u/ann" } as const;
    const readers = [
      toTokenReader({ ...anAdmin, tokenHash: "a" }),
      toTokenReader({ ...anAdmin, tokenHash: "b" }),
      toTokenReader({ ...job, jobId: "a" }),
      toAddressReader("a"),
      toAddressReader("2001:db8::1"),
      toAddressReader("2001:db8:0:1::1"),
    ];
    expect(new Set(readers.map(({ hash }) => hash)).size).toBe(readers.length);
    expect(toTokenReader({ ...job, attempt: 2 })).toEqual(toTokenReader(job));
    expect(toAddressReader("2001:db8::ffff:1")).toEqual(toAddressReader("2001:db8::1"));
  });

  it("cost one read and one write to open, one write to end, and no write if they are refused", async () => {
    const reader = toTokenReader({ ...anAdmin, tokenHash: "cost" });
    takeCounts();
    const free = await takeStreamSlot(world.deps, reader);
    expect(takeCounts()).toMatchObject({ requests: { "dynamodb.Query": 1, "dynamodb.PutItem": 1 }, readUnits: 1 });
    await free();
    expect(takeCounts().requests).toEqual({ "dynamodb.DeleteItem": 1 });
    await open(reader, limits.streamsPerToken);
    takeCounts();
    await expect(takeStreamSlot(world.deps, reader)).rejects.toMatchObject({ code: "stream.tooMany" });
    expect(takeCounts().requests).toEqual({ "dynamodb.Query": 1 });
  });

  it("of an environment that died are free after the timeout of its function", async () => {
    const reader = toAddressReader("203.0.113.10");
    const { freeing } = await open(reader, limits.streamsPerAddress);
    world.clock.nowMs += EXPIRY_MS - 1000;
    expect((await open(reader, 1)).refusals).toHaveLength(1);
    world.clock.nowMs += 1000;
    const later = await open(reader, limits.streamsPerAddress + 1);
    expect([later.freeing.length, later.refusals.length]).toEqual([limits.streamsPerAddress, 1]);
    // The first environment was only frozen: it must not free slots that other streams have now.
    await Promise.all(freeing.map((free) => free()));
    expect(await countTaken(reader)).toBe(limits.streamsPerAddress);
    expect((await open(reader, 1)).refusals).toHaveLength(1);
  });
});
