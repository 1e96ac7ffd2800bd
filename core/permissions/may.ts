import type { Actor } from "../people/actor.ts";
import type { Right, Rights } from "../people/rights.ts";
import { atLeast, rightIn } from "./access.ts";
import { asksAgain, kindOf, needOf, scopeNeed } from "./actions.ts";
import { scopesAllow } from "./scopes.ts";

/** What an action is done to. */
export interface Target {
  workspace?: string | undefined;
  /** `u/<user>/…`, `f/<folder>/…`; `f/<folder>` is a folder itself, `g/<group>` a group. */
  path?: string | undefined;
  /** Of the object itself, beside those that the workspace keeps: true is writing, false reading. */
  extraPerms?: Readonly<Record<string, boolean>> | undefined;
  /** The e-mail address of who started it: jobs belong to their callers. */
  owner?: string | undefined;
  /** Whose extra permissions are meant where the action does not tell: `script`, `variable` … */
  kind?: string | undefined;
}

/**
 * The one place where rights are decided. A token's limits (its workspace, `read_only`, scopes) come first and hold for everybody;
 * then superadmins and the workspace's admins may all, and others what their role and the object's path give them.
 */
export function may(actor: Actor, action: string, target: Target): boolean {
  return tokenAllows(actor, action, target) && isEntitled(actor, action, target);
}

/**
 * How a refusal is answered: `hidden` (404) where the caller may not know that the object, or the workspace, exists. What a token's own
 * limits refuse says nothing about what is there, so that is `forbidden` (403) in any case.
 */
export function refusal(actor: Actor, action: string, target: Target): "forbidden" | "hidden" | "hiddenWorkspace" {
  if (!tokenAllows(actor, action, target)) return "forbidden";
  if (target.workspace === undefined || actor.superAdmin) return "forbidden";
  const rights = rightsIn(actor, target.workspace);
  if (!rights) return "hiddenWorkspace";
  const named = target.path !== undefined || target.owner !== undefined;
  return named && !sees(actor, rights, action, target) ? "hidden" : "forbidden";
}

/** Whether the caller may know that an object is there. */
export function maySee(actor: Actor, action: string, target: Target): boolean {
  if (!tokenAllows(actor, action, target)) return false;
  if (actor.superAdmin) return true;
  const rights = rightsIn(actor, target.workspace);
  return rights !== undefined && sees(actor, rights, action, target);
}

function tokenAllows(actor: Actor, action: string, { workspace, path, owner }: Target): boolean {
  const { workspace: bound } = actor;
  const inWorkspace = workspace !== undefined;
  const reads = scopeNeed(action, inWorkspace).verb === "read";
  if (bound !== undefined && inWorkspace && workspace !== bound) return false;
  if (bound !== undefined && !inWorkspace && needOf(action, false) !== "self") return false;
  // A job acts in its workspace. Outside it may only ask who it is.
  if (actor.kind === "job") return inWorkspace || reads;
  if (actor.readOnly && !reads) return false;
  // A job without a path is asked about with its owner, and never again.
  const again = owner === undefined && asksAgain(action);
  return actor.scopes === undefined || scopesAllow(actor.scopes, action, path, { inWorkspace, asksAgain: again });
}

function isEntitled(actor: Actor, action: string, target: Target): boolean {
  if (actor.superAdmin) return true;
  const need = needOf(action, target.workspace !== undefined);
  if (need === "self") return true;
  if (need === "superadmin") return false;
  const rights = rightsIn(actor, target.workspace);
  if (!rights) return false;
  const { role } = rights;
  if (role === "admin" || need === "member") return true;
  if (need === "admin") return false;
  const mine = target.owner !== undefined && target.owner === actor.email;
  if (need === "read") return sees(actor, rights, action, target);
  // A run that somebody started: `run` is stopping it.
  if (need === "run" && target.owner === undefined) return sees(actor, rights, action, target);
  if (need === "run" && mine) return true;
  if (role === "operator") return false;
  if (mine || (target.path === undefined && target.owner === undefined)) return true;
  return atLeast(rightOn(actor, rights, action, target), need === "own" ? "owner" : "write");
}

function rightsIn(actor: Actor, workspace: string | undefined): Rights | undefined {
  return actor.rights?.workspace === workspace ? actor.rights : undefined;
}

function sees(actor: Actor, rights: Rights, action: string, target: Target): boolean {
  if (rights.role === "admin" || (target.owner !== undefined && target.owner === actor.email)) return true;
  if (target.path === undefined) return target.owner === undefined;
  return atLeast(rightOn(actor, rights, action, target), "read");
}

/** The right that path and extra permissions give. */
function rightOn(
  actor: Actor,
  rights: Rights,
  action: string,
  { path = "", extraPerms, kind = kindOf(action) }: Target,
): Right | undefined {
  const [space, name = ""] = path.split("/");
  if (space === "u" && name === actor.username) return "owner";
  // Everybody in a workspace sees its groups.
  if (space === "g") return rights.objects[`group_ ${name}`] ?? "read";
  const principals = new Set([`u/${actor.username}`, ...rights.groups.map((group) => `g/${group}`)]);
  const given = [
    space === "f" && Object.hasOwn(rights.folders, name) ? rights.folders[name] : undefined,
    Object.hasOwn(rights.objects, `${kind} ${path}`) ? rights.objects[`${kind} ${path}`] : undefined,
    extraPerms && rightIn(extraPerms, principals),
  ];
  return given.find((right) => right === "owner") ?? given.find((right) => right === "write") ?? given.find((right) => right === "read");
}
