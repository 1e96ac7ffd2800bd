import type { Route } from "../../contract/route.ts";
import type { Actor } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";

/** Returns whether a caller whose token is optional counts as signed in: the token's limits must allow the route. */
export function countsAsSignedIn(actor: Actor, route: Route, workspace: string): boolean {
  return route.auth === "none" && route.callerAccess !== undefined && may(actor, route.callerAccess, { workspace });
}
