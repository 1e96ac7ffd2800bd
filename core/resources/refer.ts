import { actions } from "../../contract/access/actions.ts";
import { defined } from "../../contract/defined.ts";
import type { Reference } from "../../contract/utilities/reference.ts";
import type { Arguments } from "../payload/arguments.ts";
import { tryParseJson } from "../payload/json.ts";
import type { Actor, Person } from "../people/actor.ts";
import { may } from "../permissions/may.ts";
import { scopesAllow } from "../permissions/scopes.ts";
import { escapeReferences, hasReferences } from "./references.ts";

type Event = NonNullable<Arguments["event"]>;

/**
 * Returns an event whose texts are not references, except for those that `mayRefer` accepts (by default none), because the results of a flow's
 * preprocessor become arguments. `raw_string` is unchanged, because a signature may cover it.
 */
export function escapeEventReferences<T extends Event>(event: T, mayRefer?: (reference: Reference) => boolean): T {
  const { raw_string, ...others } = event;
  // The runner derives an absent body from the text.
  const body = Object.hasOwn(event, "body") || typeof raw_string !== "string" ? undefined : (tryParseJson(raw_string)?.json ?? raw_string);
  const escaped = escapeReferences({ ...others, ...(hasReferences(body) ? { body } : {}) }, mayRefer) as object;
  return { ...escaped, ...defined({ raw_string }) } as T;
}

/**
 * Returns whether a caller may send a reference as an argument, as far as the scopes of the token decide. A token that only runs stored scripts
 * must not read variables through a reference: otherwise the sender of a webhook, or a stranger whose text the sender forwards, could read them.
 * A token that also runs code of the caller can read them anyway. The rights of the user are checked when the job runs.
 */
export const mayRefer = (actor: Actor, { kind, path }: Reference): boolean => mayRead(actor, kind, path);

/** `path`: without one, whether the token includes every variable or resource. */
const mayRead = (actor: Actor, kind: Reference["kind"], path: string | undefined): boolean =>
  readsAsUser(actor) || (actor.kind === "person" && scopesAllow(actor.scopes ?? [], accessOf(kind), path, false));

/** Returns whether a caller can read everything that its user may read: without scopes, or with the scope to run code of the caller. */
export const readsAsUser = (actor: Actor): boolean =>
  actor.kind === "job" ||
  actor.scopes === undefined ||
  scopesAllow(actor.scopes, { domain: "jobs", verb: "run", runs: "preview" }, undefined, false);

const accessOf = (kind: Reference["kind"]) => (kind === "var" ? actions.readVariable : actions.readResource).access;

/**
 * Returns whether the user's or the token's rights do not include the target of a stored argument, or `undefined` if the caller may store it:
 * both must be allowed to read the target, because it is read later with the rights of the user.
 */
export function findReferenceLimit(actor: Actor, workspace: string, reference: Reference): "user" | "token" | undefined {
  const user = actor.kind === "person" ? withoutScopes(actor) : actor;
  if (!may(user, accessOf(reference.kind), { workspace, path: reference.path })) return "user";
  return mayRefer(actor, reference) ? undefined : "token";
}

/** Returns whether a caller may store an expression, which can read every variable and resource of the user by `variable()` and `resource()`. */
export const mayStoreExpression = (actor: Actor): boolean => (["var", "res"] as const).every((kind) => mayRead(actor, kind, undefined));

const withoutScopes = ({ scopes: _, ...user }: Person): Person => user;
