import type { AccessRule } from "../../contract/access/access-rule.ts";
import type { Actor } from "../people/actor.ts";
import type { Right, Rights } from "../people/rights.ts";
import { includesRight, strongestRight } from "./access.ts";
import { findKind } from "./object-kinds.ts";
import { scopesAllow } from "./scopes.ts";

/** The object of a permission check. */
export interface Target {
  workspace?: string | undefined;
  /** `u/<user>/…`, `f/<folder>/…`; `f/<folder>` is a folder itself, `g/<group>` a group. */
  path?: string | undefined;
  /** Extra permissions stored with the object itself, in addition to those of the workspace: true is write, false is read. */
  extraPerms?: Readonly<Record<string, boolean>> | undefined;
  /** For a job: the e-mail address of the person who started it. */
  owner?: string | undefined;
  /** The kind of object whose extra permissions count (`script`, `variable`, …). Default: the kind of the rule's domain. */
  kind?: string | undefined;
}

/**
 * Returns whether an actor has the access that a rule requires. All rights are decided here. A token's limits (its workspace, `read_only`,
 * scopes) come first and apply to everyone. After them, superadmins and the workspace's admins have every right; others have the rights of
 * their role and of the object's path.
 */
export function may(actor: Actor, access: AccessRule, target: Target): boolean {
  return tokenAllows(actor, access, target) && isEntitled(actor, access, target);
}

/**
 * Returns the kind of reply to a refused call: `hidden` (404) if the caller may not know that the object exists, `hiddenWorkspace` if this
 * applies to the workspace. A refusal by a token's limits does not depend on any object, so it is always `forbidden` (403).
 */
export function classifyRefusal(actor: Actor, access: AccessRule, target: Target): "forbidden" | "hidden" | "hiddenWorkspace" {
  if (!tokenAllows(actor, access, target)) return "forbidden";
  if (target.workspace === undefined || actor.superAdmin) return "forbidden";
  const rights = rightsIn(actor, target.workspace);
  if (!rights) return "hiddenWorkspace";
  const named = target.path !== undefined || target.owner !== undefined;
  return named && !canRead(actor, rights, access, target) ? "hidden" : "forbidden";
}

/**
 * Describes the role or the right that a refused call lacks, as a part of a sentence. `undefined` if the limits of the token refuse it, so that
 * another role would change nothing.
 */
export function describeMissingRight(actor: Actor, access: AccessRule, target: Target): string | undefined {
  if (!tokenAllows(actor, access, target)) return undefined;
  const { need } = access;
  if (need === "superadmin" || target.workspace === undefined) return "a superadmin";
  const rights = rightsIn(actor, target.workspace);
  if (!rights || need === "member") return "a member of the workspace";
  if (need === "admin") return "an admin of the workspace";
  const changes = need === "write" || need === "own";
  if (changes && rights.role === "operator") return "the role developer or admin, and yours is operator";
  if (target.owner !== undefined) return "the user who started the job, or an admin of the workspace";
  if (target.path === undefined) return "a user of the workspace instead of a group";
  return need === "own" ? `an owner of ${target.path}` : `${changes ? "write" : "read"} access to ${target.path}`;
}

/** Returns whether the caller may know that an object exists. */
export function maySee(actor: Actor, access: AccessRule, target: Target): boolean {
  if (!tokenAllows(actor, access, target)) return false;
  if (actor.superAdmin) return true;
  const rights = rightsIn(actor, target.workspace);
  return rights !== undefined && canRead(actor, rights, access, target);
}

/**
 * Returns whether the object's path is checked again when it is known, so that a token limited to one path passes a first check without it.
 * Runs are never checked later, because their path is known before anything starts.
 */
function isCheckedLater({ verb, target, hiddenAs }: AccessRule): boolean {
  if (verb === "run") return false;
  return hiddenAs === false || checkedLater[target];
}

const checkedLater: Record<AccessRule["target"], boolean> = {
  none: false,
  path: false,
  folder: false,
  group: false,
  object: false,
  version: true,
  job: true,
  request: true,
  list: true,
};

function tokenAllows(actor: Actor, access: AccessRule, { workspace, path, owner }: Target): boolean {
  const { workspace: bound } = actor;
  const inWorkspace = workspace !== undefined;
  const reads = access.verb === "read";
  if (bound !== undefined && inWorkspace && workspace !== bound) return false;
  if (bound !== undefined && !inWorkspace && access.need !== "self") return false;
  // A job acts in its workspace. Outside of it, it may only read what everyone may read. It has no access to the account of its user.
  if (actor.kind === "job") return !access.personal && (inWorkspace || reads);
  if (actor.readOnly && !reads) return false;
  // A job without a path is checked with its owner, and never again.
  const again = owner === undefined && isCheckedLater(access);
  return actor.scopes === undefined || scopesAllow(actor.scopes, access, path, again);
}

function isEntitled(actor: Actor, access: AccessRule, target: Target): boolean {
  if (actor.superAdmin) return true;
  const { need } = access;
  if (need === "self") return true;
  if (need === "superadmin") return false;
  const rights = rightsIn(actor, target.workspace);
  if (!rights) return false;
  const { role } = rights;
  if (role === "admin" || need === "member") return true;
  if (need === "admin") return false;
  const mine = target.owner !== undefined && target.owner === actor.email;
  if (need === "read") return canRead(actor, rights, access, target);
  // For a job, which has an owner, `run` is the right to stop it.
  if (need === "run" && target.owner === undefined) return canRead(actor, rights, access, target);
  if (need === "run" && mine) return true;
  if (role === "operator") return false;
  if (mine) return true;
  if (target.path === undefined && target.owner === undefined) return !rights.asGroup;
  return includesRight(rightOn(actor, rights, access, target), need === "own" ? "owner" : "write");
}

function rightsIn(actor: Actor, workspace: string | undefined): Rights | undefined {
  return actor.rights?.workspace === workspace ? actor.rights : undefined;
}

function canRead(actor: Actor, rights: Rights, access: AccessRule, target: Target): boolean {
  if (rights.role === "admin" || (target.owner !== undefined && target.owner === actor.email)) return true;
  if (target.path === undefined) return target.owner === undefined;
  return includesRight(rightOn(actor, rights, access, target), "read");
}

/** The right that path and extra permissions give. */
function rightOn(
  actor: Actor,
  rights: Rights,
  access: AccessRule,
  { path = "", extraPerms, kind = objectKindOf(access) }: Target,
): Right | undefined {
  const [space, name = ""] = path.split("/");
  if (space === "u" && name === actor.username) return "owner";
  // Every member of a workspace sees its groups.
  if (space === "g") return rights.objects[`group_ ${name}`] ?? "read";
  const principals = new Set([`u/${actor.username}`, ...rights.groups.map((group) => `g/${group}`)]);
  const grants = [
    space === "f" && Object.hasOwn(rights.folders, name) ? rights.folders[name] : undefined,
    Object.hasOwn(rights.objects, `${kind} ${path}`) ? rights.objects[`${kind} ${path}`] : undefined,
    extraPerms && strongestRight(extraPerms, principals),
  ];
  return grants.find((right) => right === "owner") ?? grants.find((right) => right === "write") ?? grants.find((right) => right === "read");
}

/** The kind under which an object's extra permissions are stored (api.md §3.5). A run needs those of the script or flow. */
function objectKindOf({ domain, runs }: AccessRule): string {
  if (domain === "jobs") return runs === "flows" ? "flow" : "script";
  return findKind(domain) ?? "";
}
