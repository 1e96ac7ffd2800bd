import { FORMAT_EXTENSION } from "../../contract/format-extension.ts";
import { type KindsWith, kinds, kindsWith } from "../../contract/kinds/kinds.ts";
import { type ArchiveEntries, fromArchive } from "../../core/sync/archive.ts";
import { withoutBundleDigest } from "../../core/sync/config/codebase.ts";
import type { SyncOptions } from "../../core/sync/config/config.ts";
import { isSpecific, selectFiles, toSpecificFile } from "../../core/sync/config/specific-items.ts";
import type { ItemDigest } from "../../core/sync/digest.ts";
import { type FileMap, folderSuffix, type LayoutOptions, toFiles } from "../../core/sync/files/layout.ts";
import { groupFiles, type ParseOptions, parseFiles, readInlineNames } from "../../core/sync/files/parse-files.ts";
import { type FileProblem, itemKey, type SyncItem } from "../../core/sync/item.ts";
import { dependsOnNames, findAbsentOption, includesKind, isSelected } from "../../core/sync/select.ts";
import type { ApiClient } from "../api/client.ts";
import type { Output } from "../output/output.ts";
import { readLocalFiles } from "./local-files.ts";
import type { Project } from "./project.ts";
import { describeItem, findCodebase, type SnapshotItem } from "./snapshot-item.ts";

export type Snapshot = Map<string, SnapshotItem>;

/** The rules of the service for the names of files. */
export interface RemoteRules {
  /** The items that the service marks as specific to a workspace, by `kind path`. */
  marked: ReadonlySet<string>;
  layout: LayoutOptions;
}

export const toLayout = ({ options }: Pick<Project, "options">, fileTypes: LayoutOptions["fileTypes"] = {}): LayoutOptions => ({
  defaultTs: options.defaultTs ?? "bun",
  nonDottedPaths: options.nonDottedPaths ?? false,
  fileTypes,
});

/**
 * Loads the types of resources that are stored as files. Other services may not have the route, or may accept any text as an extension: if no
 * file can have the extension of a type, its resources are ordinary values.
 */
export async function loadFileTypes(client: ApiClient, output: Output): Promise<LayoutOptions["fileTypes"]> {
  const types = (await client.find.resources.fileTypes()) ?? {};
  return Object.fromEntries(
    Object.entries(types).filter(([name, { format_extension: extension }]) => {
      const isUsable = !extension || FORMAT_EXTENSION.test(extension);
      if (!isUsable)
        output.say(`The extension ${JSON.stringify(extension)} of the resource type ${name} is left out: no file can have it.`);
      return isUsable;
    }),
  );
}

/** Loads the data on which the names of files depend. Other services may not have these routes. */
export async function loadRules(client: ApiClient, project: Project, output: Output): Promise<RemoteRules> {
  const [marked, fileTypes] = await Promise.all([client.find.workspaces.listWorkspaceSpecific(), loadFileTypes(client, output)]);
  return {
    marked: new Set((marked ?? []).map(({ item_kind, path }) => `${item_kind} ${path}`)),
    layout: toLayout(project, fileTypes),
  };
}

/** The workspace of the service. */
export interface Remote {
  /** The items that the options include. */
  snapshot: Snapshot;
  /** The names of all folders. */
  folders: ReadonlySet<string>;
  /** The items that cannot be read, by key. */
  unreadable: Set<string>;
}

/** Returns the items of an archive. An unreadable item is reported and left out. */
export function readRemote(entries: ArchiveEntries, project: Project, rules: RemoteRules, local: FileMap, output: Output): Remote {
  const { options } = project;
  const { items, strange, strangeKeys: unreadable } = fromArchive(entries, rules.layout);
  const leave = (name: string) => output.say(`${name} is left out: svc cannot store it as a file.`);
  strange.forEach(leave);
  const groups = groupFiles(local, rules.layout);
  const snapshot: Snapshot = new Map();
  const describe = (item: SyncItem): SnapshotItem | undefined => {
    const makeFiles = (written: SyncItem) => nameFiles(written, project, rules, groups.get(itemKey(item))?.files);
    const bundled = findCodebase(item, () => makeFiles(item), project, rules.layout);
    const found = describeItem(item, () => makeFiles(bundled ? withoutBundleDigest(item) : item), bundled);
    const names = dependsOnNames(options) ? [...found.files.keys()] : [];
    return isSelected(item, names, options) ? found : undefined;
  };
  for (const item of items) {
    try {
      const found = describe(item);
      if (found) snapshot.set(itemKey(item), found);
    } catch {
      // Members choose the fields of items, and other services may check less.
      leave(itemKey(item));
      unreadable.add(itemKey(item));
    }
  }
  return { snapshot, folders: new Set(items.flatMap(({ kind, path }) => (kind === "folder" ? [path] : []))), unreadable };
}

/** Returns the value of the parameter of a kind: whether the archive contains it, or leaves it out. */
const isRequested = (kind: KindsWith<"parameter">, options: SyncOptions): boolean =>
  includesKind(kind, options) !== kinds[kind].parameter.startsWith("skip_");

export function toArchiveQuery(options: SyncOptions) {
  return {
    archive_type: "zip",
    plain_secret: options.plainSecrets ?? false,
    ...Object.fromEntries(kindsWith("parameter").map((kind) => [kinds[kind].parameter, isRequested(kind, options)])),
    skip_secrets: options.skipSecrets ?? true,
    skip_datatable_migrations: options.skipDataMigrations ?? false,
    default_ts: options.defaultTs ?? "bun",
    settings_version: "v2",
    preserve_extra_perms: true,
    sync_behavior_version: options.syncBehavior ?? "v0",
    all_kinds: true,
    include_versions: true,
  };
}

/** Returns the files of an item under their names on disk. Inline scripts keep the names of existing files. */
function nameFiles(item: SyncItem, project: Project, { layout, marked }: RemoteRules, existing: FileMap | undefined): FileMap {
  const files = toFiles(item, layout, readKnownNames(item, layout, existing));
  if (project.entry === undefined || !isSpecific(item, project.specific, marked)) return files;
  const name = project.entry;
  return new Map([...files].map(([file, text]) => [toSpecificFile(file, name), text]));
}

function readKnownNames(item: SyncItem, layout: LayoutOptions, existing: FileMap | undefined): Map<string, string> | undefined {
  if (item.kind !== "flow" && item.kind !== "app") return undefined;
  const yaml = existing?.get(`${item.path}${folderSuffix(item.kind, layout)}/${item.kind}.yaml`);
  return yaml === undefined ? undefined : readInlineNames(item, yaml);
}

/** The local files of a project under their common names, and their names on disk. */
export interface LocalFiles {
  files: FileMap;
  /** The name on disk by common name, where they differ. */
  onDisk: Map<string, string>;
  problems: FileProblem[];
}

/** Reads the files of a project. The files of the chosen workspace replace common ones; those of other workspaces are ignored. */
export function readProjectFiles({ root, config, entry }: Project): LocalFiles {
  const { files: all, problems } = readLocalFiles(root);
  const selected = selectFiles(all.keys(), config, entry);
  const files: FileMap = new Map([...selected].map(([common, file]) => [common, all.get(file) ?? ""]));
  return { files, onDisk: new Map([...selected].filter(([common, file]) => common !== file)), problems };
}

export interface ParsedFiles {
  /** All files under their common names. */
  files: FileMap;
  /** The items that the options include. */
  snapshot: Snapshot;
  /** All problems of the files. */
  problems: FileProblem[];
  /** The number of items that are left out by default, by the option that would include them. */
  leftOut: Map<string, number>;
}

/** Parses the files of a project. */
export function parseLocal(local: LocalFiles, project: Project, layout: ParseOptions): ParsedFiles {
  const { items, groups, problems } = parseFiles(local.files, layout);
  const snapshot: Snapshot = new Map();
  const leftOut = new Map<string, number>();
  for (const item of items) {
    const itemFiles = groups.get(itemKey(item))?.files ?? new Map<string, string>();
    const files = new Map([...itemFiles].map(([file, text]) => [local.onDisk.get(file) ?? file, text]));
    if (!isSelected(item, [...files.keys()], project.options)) {
      const option = findAbsentOption(item.kind, project.options);
      if (option !== undefined) leftOut.set(option, (leftOut.get(option) ?? 0) + 1);
      continue;
    }
    const bundled = findCodebase(item, () => files, project, layout);
    snapshot.set(
      itemKey(item),
      describeItem(bundled ? withoutBundleDigest(item) : item, () => files, bundled),
    );
  }
  return { files: local.files, snapshot, problems: [...local.problems, ...problems], leftOut };
}

export const digestsOf = (snapshot: Snapshot): Map<string, ItemDigest> => new Map([...snapshot].map(([key, { digest }]) => [key, digest]));
