import { randomUUID } from "node:crypto";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import { keys } from "../../core/objects/keys.ts";
import { type ObjectWrite, write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { type Access, accessObjectKey } from "../../core/permissions/access.ts";
import type { Part } from "../outbox/commit-parts.ts";
import { buildEventWrite } from "../outbox/event.ts";
import { changeAccess, loadAccess } from "./access.ts";
import { checkPrincipals } from "./folders.ts";

interface Collaborators {
  objects: ObjectTable;
  nowMs: () => number;
}
interface Place {
  workspace: string;
  kind: string;
  path: string;
}

const events = {
  script: "UpdateScript",
  flow: "UpdateFlow",
  app: "UpdateApp",
  resource: "UpdateResource",
  variable: "UpdateVariable",
  folder: "UpdateFolder",
} as const;

/** Extra permissions of an object; of a group, who administers it. Throws `access.notFound`. */
export async function getAcl({ objects }: Collaborators, place: Place): Promise<Record<string, boolean>> {
  const { access } = await loadAccess(objects, place.workspace);
  return permsIn(access, place);
}

/** Gives a right (`true` writing, `false` reading) or takes it back (`undefined`). Throws `access.*`. */
export async function changeAcl(
  { objects, nowMs }: Collaborators,
  actor: Actor,
  place: Place,
  owner: string,
  right: boolean | undefined,
): Promise<void> {
  checkPrincipals([owner]);
  const { workspace, kind, path } = place;
  const type = Object.hasOwn(events, kind) ? events[kind as keyof typeof events] : undefined;
  const also: ObjectWrite[] = [
    ...(kind === "script" ? [write.check(keys.scriptHead(workspace, path), "present")] : []),
    ...(kind === "flow" ? [write.check(keys.flowHead(workspace, path), "present")] : []),
    ...(kind === "variable" ? [write.check(keys.variable(workspace, path), "present")] : []),
    ...(kind === "resource" ? [write.check(keys.resource(workspace, path), "present")] : []),
    ...(kind === "folder" ? [write.check(keys.folder(workspace, path), "present")] : []),
    ...(type ? [buildEventWrite({ type, workspace, object: path, by: actor.username, atMs: nowMs() })] : []),
  ];
  const notThere = () => new SvcError("access.notFound", { kind, path });
  await changeAccess(
    objects,
    workspace,
    (access) => {
      const { [owner]: _, ...others } = permsIn(access, place);
      setPerms(access, place, right === undefined ? others : { ...others, [owner]: right });
    },
    also,
    notThere,
  );
}

function permsIn(access: Access, { kind, path }: Place): Record<string, boolean> {
  if (kind === "folder" || kind === "group_") {
    const holders: Record<string, { perms: Record<string, boolean> }> = kind === "folder" ? access.folders : access.groups;
    const holder = Object.hasOwn(holders, path) ? holders[path] : undefined;
    if (!holder) throw new SvcError("access.notFound", { kind, path });
    return holder.perms;
  }
  const key = accessObjectKey(kind, path);
  return (Object.hasOwn(access.objects, key) ? access.objects[key] : undefined) ?? {};
}

function setPerms(access: Access, { kind, path }: Place, perms: Record<string, boolean>): void {
  const holder = kind === "folder" ? access.folders[path] : kind === "group_" ? access.groups[path] : undefined;
  if (holder) holder.perms = perms;
  else if (Object.keys(perms).length > 0) access.objects[accessObjectKey(kind, path)] = perms;
  else delete access.objects[accessObjectKey(kind, path)];
}

/** Takes every extra permission of an object away: who saves another one at its path later must not find them. */
export async function deleteAcl({ objects }: Pick<Collaborators, "objects">, { workspace, kind, path }: Place): Promise<void> {
  const { access } = await loadAccess(objects, workspace);
  if (!Object.hasOwn(access.objects, accessObjectKey(kind, path))) return;
  await changeAccess(objects, workspace, ({ objects: held }) => {
    delete held[accessObjectKey(kind, path)];
  });
}

/**
 * The part of a transaction that lets an object's extra permissions follow it to another path (`to`), or end with it. When somebody changes rights
 * meanwhile it refuses, and the caller looks again.
 */
export async function buildAclPart(
  { objects }: Pick<Collaborators, "objects">,
  { workspace, kind, path }: Place,
  to?: string,
): Promise<Part> {
  const { access, version } = await loadAccess(objects, workspace);
  const key = keys.access(workspace);
  const unchanged = version === undefined ? ("absent" as const) : { version };
  if (!Object.hasOwn(access.objects, accessObjectKey(kind, path))) return { write: write.check(key, unchanged), refused: undefined };
  const { [accessObjectKey(kind, path)]: perms = {}, ...held } = access.objects;
  const moved = { ...access, objects: to === undefined ? held : { ...held, [accessObjectKey(kind, to)]: perms } };
  return { write: write.put({ ...key, value: moved, version: randomUUID() }, unchanged), refused: undefined };
}
