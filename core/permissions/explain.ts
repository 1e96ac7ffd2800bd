import type { AccessRule } from "../../contract/access/access-rule.ts";
import type { Person } from "../people/actor.ts";
import type { Right } from "../people/rights.ts";
import { type Access, ALL, accessObjectKey, deriveRights, type Member } from "./access.ts";
import { may } from "./may.ts";

/** A user whose access is explained. Without `member`, the user does not belong to the workspace. */
export interface ExplainedUser {
  email: string;
  username: string;
  superAdmin: boolean;
  /** The user's groups of the instance. */
  instanceGroups: readonly string[];
  member: Pick<Member, "username" | "role" | "disabled"> | undefined;
}

/** A rule that grants a right, or that refuses one. */
export interface AccessReason {
  /** A sentence. */
  rule: string;
  /** The place where the rule is stored: a role, a folder, a group, or the object. */
  from: string;
  grants: Right | "none";
}

export interface AccessExplanation {
  can: { read: boolean; write: boolean; run: boolean };
  reasons: AccessReason[];
}

interface ExplainedObject {
  workspace: string;
  /** A kind of object that has extra permissions: `script`, `variable`, `folder` … */
  kind: string;
  /** `u/<user>/…`, `f/<folder>/…`, or `f/<folder>` for a folder itself. */
  path: string;
}

const rightWords: Readonly<Record<Right, string>> = { owner: "owns", write: "may change", read: "may read and run" };
const rightOf = (writes: boolean): Right => (writes ? "write" : "read");

/**
 * Explains what a user may do with an object, and lists every rule that grants or refuses it. `can` is what `may` decides; the reasons name only
 * rules that concern the user, so they are the same whether or not the object exists.
 */
export function explainAccess(user: ExplainedUser, access: Access, object: ExplainedObject): AccessExplanation {
  const reasons = listReasons(user, access, object);
  const grants = reasons.some((reason) => reason.grants !== "none");
  const missing = { rule: `No rule gives ${user.username} access to ${object.path}.`, from: object.path, grants: "none" } as const;
  return { can: decide(user, access, object), reasons: grants ? reasons : [...reasons, missing] };
}

function decide(user: ExplainedUser, access: Access, { workspace, kind, path }: ExplainedObject): AccessExplanation["can"] {
  const { member, email, superAdmin, instanceGroups } = user;
  const isActive = member !== undefined && !member.disabled;
  const actor: Person = {
    kind: "person",
    email,
    username: user.username,
    superAdmin,
    tokenHash: "",
    tokenPrefix: "",
    ...(isActive ? { rights: deriveRights(workspace, member, access, instanceGroups) } : {}),
  };
  const allows = (need: "read" | "write") => {
    const rule: AccessRule = { domain: "acls", verb: need, need, target: "object", hiddenAs: "access.notFound" };
    return may(actor, rule, { workspace, path, kind });
  };
  const read = allows("read");
  // Running requires read access.
  return { read, write: allows("write"), run: read };
}

function listReasons(user: ExplainedUser, access: Access, { kind, path }: ExplainedObject): AccessReason[] {
  const { username, superAdmin, member } = user;
  const reasons: AccessReason[] = [];
  const add = (rule: string, from: string, grants: AccessReason["grants"]) => reasons.push({ rule, from, grants });
  if (superAdmin) add(`${username} is a superadmin, who may do everything in every workspace.`, "superadmin", "owner");
  if (!member) {
    if (!superAdmin) add(`${username} is not a member of the workspace.`, "members", "none");
    return reasons;
  }
  if (member.disabled) {
    add(`${username} is disabled in the workspace, so no rule of it gives access.`, "disabled", "none");
    return reasons;
  }
  if (member.role === "admin") add(`${username} is an administrator, who may do everything in the workspace.`, "role", "owner");
  if (member.role === "operator") add(`${username} is an operator, who reads and runs, and changes nothing.`, "role", "none");
  const principals = describePrincipals(user, access);
  const [space, name = ""] = path.split("/");
  if (space === "u") {
    const isOwn = name === member.username;
    add(
      isOwn ? `Objects at u/${name}/ belong to ${name}.` : `Objects at u/${name}/ belong to another user.`,
      `u/${name}`,
      isOwn ? "owner" : "none",
    );
  }
  const folder = space === "f" && Object.hasOwn(access.folders, name) ? access.folders[name] : undefined;
  for (const owner of folder?.owners ?? []) {
    const holder = principals.get(owner);
    if (holder) add(`${holder} owns the folder ${name}.`, `f/${name}`, "owner");
  }
  for (const [principal, writes] of Object.entries(folder?.perms ?? {})) {
    const holder = principals.get(principal);
    if (holder) add(`${holder} ${rightWords[rightOf(writes)]} what is in the folder ${name}.`, `f/${name}`, rightOf(writes));
  }
  const key = accessObjectKey(kind, path);
  const perms = Object.hasOwn(access.objects, key) ? (access.objects[key] ?? {}) : {};
  for (const [principal, writes] of Object.entries(perms)) {
    const holder = principals.get(principal);
    if (holder) add(`${holder} ${rightWords[rightOf(writes)]} this ${kind.replaceAll("_", " ")}.`, path, rightOf(writes));
  }
  return reasons;
}

/** Returns how a user is named by each principal that includes the user. */
function describePrincipals({ member, instanceGroups }: ExplainedUser, access: Access): Map<string, string> {
  const username = member?.username ?? "";
  const inGroup = (name: string) => `The group ${name}, of which ${username} is a member,`;
  const groups = Object.entries(access.groups).filter(([, { members }]) => members.includes(username));
  return new Map([
    [`u/${username}`, username],
    [`g/${ALL}`, `The group ${ALL}, of which every user is a member,`],
    ...groups.map(([name]) => [`g/${name}`, inGroup(name)] as const),
    ...instanceGroups.map((name) => [`g/${name}`, inGroup(name)] as const),
  ]);
}
