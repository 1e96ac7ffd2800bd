import { requireVersion } from "../../core/objects/version.ts";
import { unchangedSince, write } from "../../core/objects/write.ts";
import { commitParts, retryOnConflict } from "../outbox/commit-parts.ts";
import { buildEventParts } from "../outbox/event.ts";
import type { Uses } from "../uses.ts";
import { buildAclPart } from "../workspaces/acls.ts";
import type { Change, ObjectTarget, PathKind } from "./path-kind.ts";

/**
 * Deletes an object with its extra permissions, its sealed copies and the parts that `build` adds, and reports its deletion. Returns what `build`
 * returned. Throws the kind's `notFound` and `changed`, and `object.versionChanged`.
 */
export async function removeObject<T, D extends Uses<"objects" | "nowMs">, S, C extends Omit<Change<T, S>, "value">>(
  deps: D,
  kind: PathKind<T, D, S>,
  target: ObjectTarget,
  build: (before: T) => Promise<C>,
): Promise<C> {
  const { actor, workspace, path } = target;
  const key = kind.key(workspace, path);
  return retryOnConflict(
    async () => {
      const stored = await deps.objects.get(key);
      if (!stored) throw kind.notFound(path);
      requireVersion(stored, target);
      const before = kind.parse(stored);
      const change = await build(before);
      const { parts = [], event, sent } = change;
      const isDeleted = await commitParts(deps.objects, [
        { write: write.remove(key, unchangedSince(stored)), refused: undefined },
        ...(kind.permissions === undefined ? [] : [await buildAclPart(deps, { workspace, kind: kind.permissions, path })]),
        ...parts,
        ...((await kind.buildCopies?.(deps, { actor, workspace }, { before, after: undefined }, sent)) ?? []),
        ...(event ? await buildEventParts(deps, { ...event, workspace, by: actor.username, atMs: deps.nowMs() }) : []),
      ]);
      if (isDeleted) return { done: change };
      kind.onConflict?.(workspace);
      return undefined;
    },
    () => kind.changed(path),
  );
}
