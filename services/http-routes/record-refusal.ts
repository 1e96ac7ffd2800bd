import { randomUUID } from "node:crypto";
import type { RefusalReason } from "../../core/http-routes/authentication/outcome.ts";
import { httpRouteFailuresObject, MOST_FAILURES } from "../../core/http-routes/failures.ts";
import type { FoundHttpRoute } from "../../core/http-routes/http-route.ts";
import { unchangedSince } from "../../core/objects/write.ts";
import type { Uses } from "../uses.ts";

/** Requests of strangers must not cause a write each, so a process records a reason of a route at most this often. */
const EVERY_MS = 10_000;
const MOST_REMEMBERED = 1000;
const recorded = new Map<string, number>();

/** Records the reason of a refused request for the owners of its route, but not the request itself. If two are recorded at once, one is lost. */
export async function recordRefusal(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  { workspace, trigger }: FoundHttpRoute,
  reason: RefusalReason,
): Promise<void> {
  const atMs = nowMs();
  const id = JSON.stringify([workspace, trigger.id, reason]);
  if (atMs - (recorded.get(id) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
  if (recorded.size >= MOST_REMEMBERED) recorded.clear();
  recorded.set(id, atMs);
  const key = httpRouteFailuresObject.key(workspace, trigger.id);
  const found = await objects.get(key);
  const before = found ? httpRouteFailuresObject.parse(found).failures : [];
  const failures = [{ atMs, reason }, ...before].slice(0, MOST_FAILURES);
  await objects.put({ ...key, value: { failures }, version: randomUUID() }, found ? unchangedSince(found) : "absent");
}
