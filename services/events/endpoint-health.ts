import { randomUUID } from "node:crypto";
import { INSTANCE } from "../../contract/common.ts";
import { limits } from "../../contract/limits.ts";
import type { Attempt } from "../../core/deliveries/attempt.ts";
import { type EndpointHealth, judgeEndpoint } from "../../core/deliveries/endpoint-health.ts";
import type { Endpoint } from "../../core/events/endpoint.ts";
import { hideUrlSecrets } from "../../core/notifications/delivery.ts";
import { type ObjectWrite, type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import { buildMailWrite } from "../outbox/mail.ts";
import type { Uses } from "../uses.ts";

interface StoredEndpoint {
  workspace: string;
  stored: StoredObject;
  endpoint: Endpoint;
}

/**
 * Records an endpoint's response to an attempt, and returns whether the endpoint is slow. Only a change of its health is written, on the
 * condition that the endpoint has not changed since it was read: otherwise a later attempt records it. An endpoint that has failed for
 * `limits.endpointFailsMs`, or that answered 410, is switched off, with a mail to the admins in the same transaction.
 */
export async function recordHealth(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  { workspace, stored, endpoint }: StoredEndpoint,
  attempt: { atMs: number; durationMs: number; outcome: Attempt },
): Promise<boolean> {
  const health = judgeEndpoint(endpoint, attempt);
  if (health.disabledReason !== undefined && endpoint.enabled) {
    await objects.transactWrite([
      toWrite(stored, endpoint, { ...health, enabled: false }),
      buildMail(workspace, endpoint, health, nowMs()),
    ]);
  } else if (health.failingSinceMs !== endpoint.failingSinceMs || health.isSlow !== (endpoint.isSlow ?? false)) {
    const { disabledReason: _, ...change } = health;
    const part = toWrite(stored, endpoint, change);
    await objects.transactWrite([part]);
  }
  return health.isSlow;
}

function toWrite(stored: StoredObject, endpoint: Endpoint, health: Partial<Endpoint>): ObjectWrite {
  const { failingSinceMs: _, isSlow: __, ...others } = endpoint;
  const { isSlow, ...changed } = health;
  const value: Endpoint = { ...others, ...changed, ...(isSlow ? { isSlow } : {}) };
  const { pk, sk } = stored;
  return write.put({ pk, sk, value, version: randomUUID() }, unchangedSince(stored));
}

function buildMail(workspace: string, { id, url }: Endpoint, { disabledReason = "" }: EndpointHealth, atMs: number): ObjectWrite {
  const owner = workspace === INSTANCE ? "the instance" : `workspace ${workspace}`;
  return buildMailWrite({
    workspace,
    people: ["role:admin"],
    subject: `A webhook of ${owner} was switched off`,
    lines: [
      `The webhook endpoint ${id} (${hideUrlSecrets(url)}) of ${owner} receives no events any more. ${disabledReason}`,
      `Repair the receiver, enable the endpoint again, and replay the deliveries that failed. Deliveries are kept for ${limits.jobRetentionMs / 86_400_000} days.`,
    ],
    atMs,
  });
}
