import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { type DeployedItem, deployedItemsSchema, ITEMS_FILE } from "../../contract/deployment/deployment.ts";
import { parseExactJson } from "../../contract/json/exact-json.ts";
import { parseConfig } from "../../core/sync/config/parse-config.ts";
import { selectFiles } from "../../core/sync/config/specific-items.ts";
import { listEntries } from "../../core/sync/config/workspace-entry.ts";
import { type LayoutOptions, toFiles } from "../../core/sync/files/layout.ts";
import { groupFiles } from "../../core/sync/files/parse-files.ts";
import { parseYaml } from "../../core/sync/files/yaml.ts";
import type { SyncItem } from "../../core/sync/item.ts";

/** The file without which `svc sync push` has no project. */
const CONFIG = "svc.yaml";

const LAYOUT: LayoutOptions = { defaultTs: "bun", nonDottedPaths: false, fileTypes: {} };

export interface WrittenProject {
  /** The names of the workspace folders that contain the items, except those with a file that describes them. */
  folders: string[];
  /** The keys of the items. */
  items: ReadonlySet<string>;
}

/** Writes the files of a zip file below a folder. `onlyConfig`: leaves out all items, so that a push deletes them. */
export function writeProject(
  folder: string,
  zip: Uint8Array,
  { workspace, onlyConfig }: { workspace: string; onlyConfig: boolean },
): WrittenProject {
  const files = new Map(Object.entries(unzipSync(zip)).filter(([name]) => !name.endsWith("/")));
  const items = files.get(ITEMS_FILE);
  const described =
    items === undefined ? [] : deployedItemsSchema.parse(parseExactJson(strFromU8(items))).flatMap((item) => [...filesOf(item)]);
  files.delete(ITEMS_FILE);
  for (const [name, text] of described) files.set(name, Buffer.from(text));
  if (!files.has(CONFIG)) files.set(CONFIG, Buffer.from("{}\n"));
  for (const [name, content] of files) {
    const path = join(folder, name);
    if (relative(folder, path).split(sep)[0] === "..") throw new Error(`The file ${name} lies outside of the folder.`);
    if (onlyConfig && name !== CONFIG) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  if (onlyConfig) return { folders: [], items: new Set() };
  const used = new Set([...files.keys()].flatMap((name) => /^f\/([^/]+)\//.exec(name)?.[1] ?? []));
  return {
    folders: [...used].filter((name) => !files.has(`f/${name}/folder.meta.yaml`)),
    items: listItems(files.keys(), Buffer.from(files.get(CONFIG) ?? []).toString(), workspace),
  };
}

/** Returns the keys of the items to which files belong. The command line chooses the files for a workspace in the same way. */
function listItems(files: Iterable<string>, configText: string, workspace: string): Set<string> {
  const parsed = parseConfig(CONFIG, configText);
  // The command line reports the fault of the file, and pushes nothing.
  const config = "config" in parsed ? parsed.config : {};
  const entries = listEntries(config);
  const entry = entries.has(workspace) ? workspace : [...entries].find(([, { workspaceId }]) => workspaceId === workspace)?.[0];
  const names = [...selectFiles(files, config, entry).keys()];
  return new Set(groupFiles(new Map(names.map((name) => [name, ""])), LAYOUT).keys());
}

function filesOf(item: DeployedItem): ReadonlyMap<string, string> {
  return toFiles(toSyncItem(item), LAYOUT);
}

function toSyncItem(item: DeployedItem): SyncItem {
  if (item.kind === "script") return item;
  const parsed = parseYaml(item.path, item.text);
  if ("problem" in parsed) throw new Error(`The flow ${item.path} is not valid YAML: ${parsed.problem.message}`);
  return { kind: "flow", path: item.path, value: parsed.value };
}
