import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { type DeployedItem, deployedItemsSchema, ITEMS_FILE } from "../../contract/deployment.ts";
import { parseExactJson } from "../../contract/exact-json.ts";
import { toFiles } from "../../core/sync/files/layout.ts";
import { parseYaml } from "../../core/sync/files/yaml.ts";
import type { SyncItem } from "../../core/sync/item.ts";

/** The file without which `svc sync push` has no project. */
const CONFIG = "svc.yaml";

/**
 * Writes the files of a zip file below a folder. `onlyConfig`: leaves out all items, so that a push deletes them. Returns the names of the folders of the
 * workspace that the items are in, apart from those with a file that describes them.
 */
export function writeProject(folder: string, zip: Uint8Array, { onlyConfig }: { onlyConfig: boolean }): string[] {
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
  const used = new Set([...files.keys()].flatMap((name) => /^f\/([^/]+)\//.exec(name)?.[1] ?? []));
  return onlyConfig ? [] : [...used].filter((name) => !files.has(`f/${name}/folder.meta.yaml`));
}

function filesOf(item: DeployedItem): ReadonlyMap<string, string> {
  return toFiles(toSyncItem(item), { defaultTs: "bun", nonDottedPaths: false, fileTypes: {} });
}

function toSyncItem(item: DeployedItem): SyncItem {
  if (item.kind === "script") return item;
  const parsed = parseYaml(item.path, item.text);
  if ("problem" in parsed) throw new Error(`The flow ${item.path} is not valid YAML: ${parsed.problem.message}`);
  return { kind: "flow", path: item.path, value: parsed.value };
}
