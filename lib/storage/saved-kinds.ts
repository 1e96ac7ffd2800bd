import { findKind } from "../../contract/kinds/kinds.ts";
import type { Route, RouteFunction } from "../../contract/route.ts";
import { routes } from "../../contract/routes/routes.ts";
import { itemsOfKinds } from "../../core/kind-items.ts";
import { KIND_PARTITION } from "../../core/objects/kind-object.ts";

/**
 * Returns the kinds of `defineKindObject` that a function may write: those for which it serves a write route. The other kinds are older, and the
 * rights to their items are listed by hand, because some of them contain secrets.
 */
export function listSavedKinds(fn: RouteFunction, all: readonly Route[] = Object.values(routes)) {
  const domains = new Set<string>(
    all.flatMap((route) => (route.auth === "token" && route.fn === fn && route.access.verb === "write" ? [route.access.domain] : [])),
  );
  return [...itemsOfKinds].flatMap(([kind, items]) =>
    items.leadingKeys.startsWith(`${KIND_PARTITION}#`) && domains.has(findKind(kind)?.domain ?? "") ? [items] : [],
  );
}
