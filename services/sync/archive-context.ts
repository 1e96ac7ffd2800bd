import type { AccessRule } from "../../contract/access/access-rule.ts";
import type { ArchiveQuery } from "../../contract/routes/sync/sync.ts";
import type { ObjectKind } from "../../core/objects/define-object.ts";
import { getVersion } from "../../core/objects/version.ts";
import { type Access, accessObjectKey } from "../../core/permissions/access.ts";
import { may } from "../../core/permissions/may.ts";
import type { SecretReader } from "../secrets/reveal.ts";
import type { Uses } from "../uses.ts";

/** The call for which items are loaded. */
export interface ArchiveContext {
  deps: Uses<"jobs" | "objects" | "storage" | "dataKeys" | "nowMs">;
  reader: SecretReader;
  query: ArchiveQuery;
  /** The permissions of the workspace. */
  access: Access;
}

/** An item's value with the version that a later save can name. */
interface Listed<T> {
  object: T;
  version: string;
}

type ListedKind<P extends unknown[], T> = Pick<ObjectKind<P, never[], T>, "partitionKey" | "parse">;

/**
 * Lists the objects of a partition. An unreadable object fails the archive, because its missing file would look like a deletion. Throws
 * `UnreadableRecordError`.
 */
export async function listStored<P extends unknown[], T>({ deps }: ArchiveContext, kind: ListedKind<P, T>, ...partition: P): Promise<T[]> {
  return (await deps.objects.list(kind.partitionKey(...partition))).map((object) => kind.parse(object));
}

/** Lists the objects of a partition that the caller may read. Others are left out of the archive, as they are left out of lists. */
export async function listReadable<P extends unknown[], T extends { path: string }>(
  context: ArchiveContext,
  access: AccessRule,
  kind: ListedKind<P, T>,
  ...partition: P
): Promise<T[]> {
  return (await listStored(context, kind, ...partition)).filter(({ path }) => mayRead(context, access, path));
}

/** Lists the objects as `listStored` does, each with its version. */
export async function listVersioned<P extends unknown[], T>(
  { deps }: ArchiveContext,
  kind: ListedKind<P, T>,
  ...partition: P
): Promise<Listed<T>[]> {
  return (await deps.objects.list(kind.partitionKey(...partition))).map((stored) => ({
    object: kind.parse(stored),
    version: getVersion(stored),
  }));
}

/** Lists the objects as `listReadable` does, each with its version. */
export async function listReadableVersions<P extends unknown[], T extends { path: string }>(
  context: ArchiveContext,
  access: AccessRule,
  kind: ListedKind<P, T>,
  ...partition: P
): Promise<Listed<T>[]> {
  return (await listVersioned(context, kind, ...partition)).filter(({ object: { path } }) => mayRead(context, access, path));
}

/** Returns the version of an item as a field, if the archive states versions. */
export const toItemVersion = ({ query }: ArchiveContext, version: string): { version?: string } =>
  query.include_versions ? { version } : {};

/** Returns whether the caller may read an object. */
export const mayRead = ({ reader: { actor, workspace } }: ArchiveContext, access: AccessRule, path: string): boolean =>
  may(actor, access, { workspace, path });

/** Returns the extra permissions of an object as a field, if the archive shows them. */
export function toExtraPerms({ access, query }: ArchiveContext, kind: string, path: string): { extra_perms?: Record<string, boolean> } {
  const key = accessObjectKey(kind, path);
  const perms = query.preserve_extra_perms && Object.hasOwn(access.objects, key) ? access.objects[key] : undefined;
  return perms && Object.keys(perms).length > 0 ? { extra_perms: perms } : {};
}

/** Returns the identity on whose behalf an object runs, in the form of the layout's version (api.md §6.4). */
export function toOnBehalf({ query }: ArchiveContext, { on_behalf_of_email: email }: { on_behalf_of_email?: string | null | undefined }) {
  if (!email) return {};
  return query.sync_behavior_version === "v1" ? { has_on_behalf_of: true } : { on_behalf_of_email: email };
}
