import { createHash, randomInt, randomUUID } from "node:crypto";
import { SvcError } from "../../../../contract/errors.ts";
import { limits } from "../../../../contract/limits.ts";
import type { Actor } from "../../../../core/people/actor.ts";
import { toAddressGroup } from "../../../../core/people/address-group.ts";
import { openStreamObject } from "../../../../core/streams/stream-slot.ts";
import type { Uses } from "../../../uses.ts";

/** The reader whose streams are counted together. */
export interface StreamReader {
  kind: "token" | "address";
  /** Identifies the reader. Neither a token nor an address can be derived from it. */
  hash: string;
}

const hashOf = (...parts: string[]) => createHash("sha256").update(parts.join("\n")).digest("hex");

/** The reader who sends a token. The tokens of a job count as one. */
export function toTokenReader(actor: Actor): StreamReader {
  return { kind: "token", hash: actor.kind === "job" ? hashOf("job", actor.jobId) : hashOf("token", actor.tokenHash) };
}

/** The reader who sends no token. The addresses of an IPv6 network count as one. */
export const toAddressReader = (address: string): StreamReader => ({ kind: "address", hash: hashOf("address", toAddressGroup(address)) });

const slotLimits = { token: limits.streamsPerToken, address: limits.streamsPerAddress } as const;

/**
 * Takes one of the slots of a reader for a stream and returns the function that frees it. A slot expires after the longest time that a stream can
 * last, so one of an environment that died is free again. Throws `stream.tooMany` without a write if all slots are taken.
 */
export async function takeStreamSlot(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  { kind, hash }: StreamReader,
): Promise<() => Promise<void>> {
  const limit = slotLimits[kind];
  for (let tries = 0; tries <= limit; tries += 1) {
    const nowS = Math.floor(nowMs() / 1000);
    const taken = (await objects.list(openStreamObject.partitionKey(hash))).filter(({ expiresAtS = 0 }) => expiresAtS > nowS);
    const takenKeys = new Set(taken.map(({ sk }) => sk));
    const free = Array.from({ length: limit }, (_, slot) => openStreamObject.key(hash, slot)).filter(({ sk }) => !takenKeys.has(sk));
    if (free.length === 0) {
      const nextS = Math.min(...taken.map(({ expiresAtS = 0 }) => expiresAtS));
      throw new SvcError("stream.tooMany", { limit, reader: kind, retryAfterS: Math.max(1, nextS - nowS) });
    }
    // Streams that open at the same time rarely choose the same slot. The loser chooses again.
    const slot = free[randomInt(free.length)] ?? openStreamObject.key(hash, 0);
    const version = randomUUID();
    const expiresAtS = nowS + Math.ceil((limits.streamMs + limits.streamGraceMs) / 1000);
    if (await objects.put({ ...slot, version, expiresAtS }, { absentOrExpiredAtS: nowS }))
      // Another stream may have the slot after it expired.
      return () => objects.deleteItem(slot, { version });
  }
  throw new SvcError("stream.tooMany", { limit, reader: kind, retryAfterS: 1 });
}
