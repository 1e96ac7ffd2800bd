import { createHash } from "node:crypto";
import { type Zippable, zipSync } from "fflate";
import { packTar } from "modern-tar";
import type { Action } from "../../contract/access/access-rule.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { ArchiveQuery } from "../../contract/routes/sync/sync.ts";
import { triggerKinds } from "../../contract/routes/triggers/trigger-kind.ts";
import type { Actor } from "../../core/people/actor.ts";
import { type ArchiveEntries, toArchive } from "../../core/sync/archive.ts";
import type { SyncItem } from "../../core/sync/item.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { permit } from "../identity/permit.ts";
import type { SecretReader } from "../secrets/reveal.ts";
import { loadAccess } from "../workspaces/access.ts";
import type { ArchiveContext, LoadItemsDeps } from "./archive-context.ts";
import { loadApps, loadResources, loadResourceTypes, loadSchedules, loadTriggers, loadVariables } from "./load-objects.ts";
import { loadFlows, loadScripts } from "./load-scripts-and-flows.ts";
import { listGroupItems, loadDependencies, loadEncryptionKey, loadFolders, loadSettings, loadUsers } from "./load-workspace.ts";

export interface WorkspaceArchive {
  contentType: string;
  /** In quotation marks: a digest of the content. Equal content gives equal bytes. */
  etag: string;
  /** Packs the content. A client that has it already does not need the bytes. */
  pack(): Promise<Uint8Array>;
}

/**
 * Creates the archive of a workspace with what the caller may read. Equal content gives equal bytes. Throws `auth.forbidden` for a kind that
 * the caller requests and may not read, because a client would take its files for deleted, `workspace.notFound`, `archive.type` and
 * `archive.tooLarge`.
 */
export async function createWorkspaceArchive(deps: LoadItemsDeps, reader: SecretReader, query: ArchiveQuery): Promise<WorkspaceArchive> {
  const type = query.archive_type ?? "zip";
  if (type !== "zip" && type !== "tar") throw new SvcError("archive.type", { type });
  permitKinds(reader, query);
  const [workspace, { access }] = await Promise.all([
    deps.objects.get(workspaceObject.key(reader.workspace)),
    loadAccess(deps.objects, reader.workspace),
  ]);
  // A superadmin may name any workspace. An empty archive would look like the deletion of everything.
  if (!workspace) throw new SvcError("workspace.notFound", { workspace: reader.workspace });
  const items = await loadItems({ deps, reader, query, access });
  const entries = toArchive(items, { defaultTs: query.default_ts ?? "bun" });
  checkSize(entries);
  return {
    contentType: type === "zip" ? "application/zip" : "application/x-tar",
    etag: `"${digestEntries(type, entries)}"`,
    pack: async () => (type === "zip" ? createZip(entries) : createTar(entries)),
  };
}

function digestEntries(type: string, entries: ArchiveEntries): string {
  const hash = createHash("sha256").update(type);
  // With its length, no text can be taken for the end of another one.
  for (const text of [...entries].flat()) hash.update(`\n${text.length}\n`).update(text);
  return hash.digest("hex");
}

async function loadItems(context: ArchiveContext): Promise<SyncItem[]> {
  const { query } = context;
  const loaders = [
    loadScripts,
    loadFlows,
    loadApps,
    loadFolders,
    ...(query.skip_variables ? [] : [loadVariables]),
    ...(query.skip_resources ? [] : [loadResources]),
    ...(query.skip_resource_types ? [] : [loadResourceTypes]),
    ...((query.include_workspace_dependencies ?? true) ? [loadDependencies] : []),
    ...(query.include_schedules ? [loadSchedules] : []),
    ...(query.include_triggers ? [loadTriggers] : []),
    ...(query.include_users ? [loadUsers] : []),
    ...(query.include_groups ? [listGroupItems] : []),
    ...(query.include_settings ? [loadSettings] : []),
    ...(query.include_key ? [loadEncryptionKey] : []),
  ];
  return (await Promise.all(loaders.map((load) => load(context)))).flat();
}

const readAll = (domain: Action["access"]["domain"]): Action => ({
  name: `${domain}.list`,
  access: { domain, verb: "read", need: "member", target: "list" },
});
const readAsAdmin = (name: string, domain: Action["access"]["domain"]): Action => ({
  name,
  access: { domain, verb: "read", need: "admin", target: "none" },
});

/** Checks the caller's right to each kind of the archive, the limits of its token included. Throws `auth.forbidden`. */
function permitKinds({ actor, workspace }: { actor: Actor; workspace: string }, query: ArchiveQuery): void {
  const actions = [
    ...(["scripts", "flows", "apps", "folders"] as const).map(readAll),
    ...(query.skip_variables ? [] : [readAll("variables")]),
    ...(query.skip_resources && query.skip_resource_types ? [] : [readAll("resources")]),
    ...(query.include_schedules ? [readAll("schedules")] : []),
    ...(query.include_triggers ? triggerKinds.map((kind) => readAll(`${kind}_triggers`)) : []),
    ...(query.include_users ? [readAll("users")] : []),
    ...(query.include_groups ? [readAll("groups")] : []),
    ...(query.include_settings ? [readAsAdmin("workspaces.getSettings", "workspaces")] : []),
    ...(query.include_key ? [readAsAdmin("workspaces.getEncryptionKey", "encryption_key")] : []),
  ];
  for (const action of actions) permit(actor, action, { workspace });
}

/** The bytes are zipped in memory. Throws `archive.tooLarge`. */
function checkSize(entries: ArchiveEntries): void {
  let bytes = 0;
  for (const text of entries.values()) bytes += Buffer.byteLength(text);
  if (bytes > limits.archiveBytes) throw new SvcError("archive.tooLarge", { limitBytes: limits.archiveBytes });
}

/** A local date, because zip stores local dates: this gives the same bytes in every time zone. */
const MTIME = new Date(1980, 0, 1);

/** Compressing a smaller file saves a few bytes and takes longer than everything else of an archive of 1,000 items. */
const COMPRESSED_BYTES = 1024;

function createZip(entries: ArchiveEntries): Uint8Array {
  const files = [...entries].map(([name, text]): [string, Zippable[string]] => {
    const content = Buffer.from(text);
    return [name, [content, { level: content.length < COMPRESSED_BYTES ? 0 : 6 }]];
  });
  return zipSync(Object.fromEntries(files), { mtime: MTIME });
}

const createTar = (entries: ArchiveEntries): Promise<Uint8Array> =>
  packTar(
    [...entries].map(([name, text]) => {
      const body = Buffer.from(text);
      return { header: { name, size: body.length, mtime: new Date(0), mode: 0o644 }, body };
    }),
  );

/** Stores an archive for a day and returns a link to it. The name is that of its content, so that a repeated call stores nothing new. */
export async function storeArchive(
  { storage }: Pick<LoadItemsDeps, "storage">,
  workspace: string,
  { contentType, etag }: Pick<WorkspaceArchive, "contentType" | "etag">,
  bytes: Uint8Array,
): Promise<string> {
  const key = `archives/${workspace}/${etag.replaceAll('"', "")}`;
  await storage.putObject(key, bytes, contentType);
  return storage.createDownloadUrl(key, limits.archiveLinkS);
}
