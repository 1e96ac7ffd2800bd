import { findKind } from "../../contract/kinds/kinds.ts";
import type { Route, RouteFunction } from "../../contract/route.ts";
import { routes } from "../../contract/routes/routes.ts";
import { itemsOfKinds } from "../../core/kind-items.ts";

/** Returns the items of the kinds of objects at paths that a function saves, because it answers routes of the kind that write. */
export function listSavedKinds(fn: RouteFunction) {
  const domains = new Set<string>(
    Object.values<Route>(routes).flatMap((route) =>
      route.auth === "token" && route.fn === fn && route.access.verb === "write" ? [route.access.domain] : [],
    ),
  );
  return [...itemsOfKinds].flatMap(([kind, items]) => (domains.has(findKind(kind)?.domain ?? "") ? [items] : []));
}
