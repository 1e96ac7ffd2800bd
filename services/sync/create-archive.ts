import { createHash } from "node:crypto";
import { type Zippable, zipSync } from "fflate";
import { packTar } from "modern-tar";
import type { Action } from "../../contract/access/access-rule.ts";
import { SvcError } from "../../contract/errors.ts";
import { findKind, type KindName, kinds } from "../../contract/kinds/kinds.ts";
import { limits } from "../../contract/limits.ts";
import type { ArchiveQuery } from "../../contract/routes/sync/sync.ts";
import type { Actor } from "../../core/people/actor.ts";
import { type ArchiveEntries, toArchive } from "../../core/sync/archive.ts";
import type { SyncItem } from "../../core/sync/item.ts";
import { kindFiles, type LoadedKind } from "../../core/sync/kind-files.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { permit } from "../identity/permit.ts";
import type { SecretReader } from "../secrets/reveal.ts";
import type { Uses } from "../uses.ts";
import { loadAccess } from "../workspaces/access.ts";
import type { ArchiveContext } from "./archive-context.ts";
import { loadApps, loadObjects, loadResources, loadResourceTypes, loadVariables } from "./load-objects.ts";
import { loadFlows, loadScripts } from "./load-scripts-and-flows.ts";
import { listGroupItems, loadDependencies, loadEncryptionKey, loadFolders, loadSettings, loadUsers } from "./load-workspace.ts";

export interface WorkspaceArchive {
  contentType: string;
  /** In quotation marks: a digest of the content. Equal content produces equal bytes. */
  etag: string;
  /** Packs the content. A client that already has it does not need the bytes. */
  pack(): Promise<Uint8Array>;
}

/**
 * Creates the archive of a workspace with everything that the caller may read. Equal content produces equal bytes. Throws `auth.forbidden` for a
 * kind that the caller requests and may not read, because a client would treat its files as deleted, `workspace.notFound`, `archive.type` and
 * `archive.tooLarge`.
 */
export async function createWorkspaceArchive(
  deps: Uses<"jobs" | "objects" | "storage" | "dataKeys" | "nowMs">,
  reader: SecretReader,
  query: ArchiveQuery,
): Promise<WorkspaceArchive> {
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
  // The length prevents one text from being interpreted as the end of another one.
  for (const text of [...entries].flat()) hash.update(`\n${text.length}\n`).update(text);
  return hash.digest("hex");
}

interface ArchivedKind {
  load: (context: ArchiveContext) => SyncItem[] | Promise<SyncItem[]>;
  /** The right that the caller needs. Default: the right to list the objects of the kind. Lists of package versions need none. */
  action?: Action | "none";
}

const readAsAdmin = (name: string, domain: Action["access"]["domain"]): Action => ({
  name,
  access: { domain, verb: "read", need: "admin", target: "none" },
});

type WorkspaceKind = "user" | "group" | "settings" | "encryption_key" | "dependencies";

const objectLoaders: Readonly<Record<Exclude<LoadedKind, WorkspaceKind>, ArchivedKind>> = {
  script: { load: loadScripts },
  flow: { load: loadFlows },
  app: { load: loadApps },
  folder: { load: loadFolders },
  variable: { load: loadVariables },
  resource: { load: loadResources },
  resource_type: { load: loadResourceTypes },
};

const workspaceLoaders: Readonly<Record<WorkspaceKind, ArchivedKind>> = {
  user: { load: loadUsers },
  group: { load: listGroupItems },
  settings: { load: loadSettings, action: readAsAdmin("workspaces.getSettings", "workspaces") },
  encryption_key: { load: loadEncryptionKey, action: readAsAdmin("workspaces.getEncryptionKey", "encryption_key") },
  dependencies: { load: loadDependencies, action: "none" },
};

/** The kinds of an archive, in the order in which the rights of the caller are checked. */
const entries = [
  ...Object.entries(objectLoaders),
  ...kindFiles.map(([kind, files]): [KindName, ArchivedKind] => [kind, { load: (context) => loadObjects(context, kind, files) }]),
  ...Object.entries(workspaceLoaders),
] as [KindName, ArchivedKind][];

const parametersOfKinds: Readonly<Record<string, { domain: string; parameter?: keyof ArchiveQuery; option?: string }>> = kinds;

/** Returns whether the query includes a kind. A kind is part of an archive by default if an option can leave it out. */
function isIncluded(kind: KindName, query: ArchiveQuery): boolean {
  const { parameter, option = "" } = parametersOfKinds[kind] ?? {};
  if (parameter === undefined) return true;
  return parameter.startsWith("skip_") ? !query[parameter] : Boolean(query[parameter] ?? option.startsWith("skip"));
}

async function loadItems(context: ArchiveContext): Promise<SyncItem[]> {
  const { query } = context;
  const loaded = entries.filter(([kind]) => isIncluded(kind, query) && (query.all_kinds || !findKind(kind)?.onlyInOwnArchives));
  return (await Promise.all(loaded.map(([, { load }]) => load(context)))).flat();
}

/** Checks the caller's right to each kind of the archive, the limits of its token included. Throws `auth.forbidden`. */
function permitKinds({ actor, workspace }: { actor: Actor; workspace: string }, query: ArchiveQuery): void {
  for (const [kind, { action }] of entries) {
    if (action === "none" || !isIncluded(kind, query)) continue;
    const { domain } = kinds[kind];
    permit(actor, action ?? { name: `${domain}.list`, access: { domain, verb: "read", need: "member", target: "list" } }, { workspace });
  }
}

/** The bytes are zipped in memory. Throws `archive.tooLarge`. */
function checkSize(entries: ArchiveEntries): void {
  let bytes = 0;
  for (const text of entries.values()) bytes += Buffer.byteLength(text);
  if (bytes > limits.archiveBytes) throw new SvcError("archive.tooLarge", { limitBytes: limits.archiveBytes });
}

/** A local date, because zip stores local dates: this gives the same bytes in every time zone. */
const MTIME = new Date(1980, 0, 1);

/** Compressing smaller files saves a few bytes and takes longer than everything else in an archive of 1,000 items. */
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
  { storage }: Uses<"storage">,
  workspace: string,
  { contentType, etag }: Pick<WorkspaceArchive, "contentType" | "etag">,
  bytes: Uint8Array,
): Promise<string> {
  const key = `archives/${workspace}/${etag.replaceAll('"', "")}`;
  await storage.putObject(key, bytes, contentType);
  return storage.createDownloadUrl(key, limits.archiveLinkS);
}
