import { randomUUID } from "node:crypto";
import { limits } from "../../../contract/limits.ts";
import { PromiseCache } from "../../../contract/utilities/promise-cache.ts";
import { buildLinkUrls, findLinkLevel, type LinkKeys, type LinkSubject, linkKeysObject, signLink } from "../../../core/approvals/link.ts";
import type { Uses } from "../../uses.ts";

/** Key rings by workspace and unwrapped keys by workspace and id, so that a click causes no call of KMS. */
const rings = new PromiseCache<string, LinkKeys>();
const unwrapped = new PromiseCache<string, Buffer>();

function openKeyRing(deps: Uses<"objects" | "linkKeys" | "nowMs">, workspace: string): Promise<LinkKeys> {
  return rings.get(workspace, () => currentRing(deps, workspace), { nowMs: deps.nowMs(), forMs: limits.dataKeyCacheMs });
}

/** Returns the stored ring, with a new key if there is none or the current one is old. Of two simultaneous writers one succeeds. */
async function currentRing({ objects, linkKeys, nowMs }: Uses<"objects" | "linkKeys" | "nowMs">, workspace: string): Promise<LinkKeys> {
  const key = linkKeysObject.key(workspace);
  for (;;) {
    const found = await objects.get(key);
    const ring = found ? linkKeysObject.parse(found) : undefined;
    const now = nowMs();
    if (ring && now - (ring.keys[ring.current]?.madeAtMs ?? 0) < limits.linkKeyMs) return ring;
    const { wrapped } = await linkKeys.generate(workspace);
    const current = randomUUID();
    const kept = Object.entries(ring?.keys ?? {}).filter(([, { madeAtMs }]) => now - madeAtMs < limits.linkKeyKeptMs);
    const next: LinkKeys = { current, keys: { ...Object.fromEntries(kept), [current]: { wrapped, madeAtMs: now } } };
    const stored = { ...key, value: next, version: current };
    if (await objects.put(stored, ring ? { version: ring.current } : "absent")) return next;
  }
}

async function keyOf({ linkKeys }: Uses<"linkKeys">, workspace: string, ring: LinkKeys, id: string) {
  return { id, key: await unwrapped.get(`${workspace} ${id}`, () => linkKeys.unwrap(workspace, ring.keys[id]?.wrapped ?? "")) };
}

/** Creates a link and returns its URLs and its signature. */
export async function createLink(deps: Uses<"objects" | "linkKeys" | "nowMs" | "baseUrl">, linked: LinkSubject) {
  const current = await openKeyRing(deps, linked.workspace);
  const signature = signLink(await keyOf(deps, linked.workspace, current, current.current), linked);
  return { signature, ...buildLinkUrls(deps.baseUrl, linked, signature) };
}

/**
 * Returns the level for which a link was signed; `undefined` if the signature is invalid. The reply does not reveal whether the workspace or the
 * job exists.
 */
export async function verifyLink(
  deps: Uses<"objects" | "linkKeys" | "nowMs">,
  signature: string,
  of: Omit<LinkSubject, "level">,
): Promise<LinkSubject["level"] | undefined> {
  // Unauthenticated callers must not create keys, so a missing ring is not created here.
  if (!rings.has(of.workspace) && !(await deps.objects.get(linkKeysObject.key(of.workspace)))) return undefined;
  const ring = await openKeyRing(deps, of.workspace);
  const all = await Promise.all(Object.keys(ring.keys).map((id) => keyOf(deps, of.workspace, ring, id)));
  return findLinkLevel(all, signature, of);
}
