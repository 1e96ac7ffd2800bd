import { isJsonObject } from "../../../contract/json/json-object.ts";
import { toAppFile } from "../../apps/app-file.ts";
import { fieldsOf, type SyncItem } from "../item.ts";
import type { DefaultTs } from "./extensions.ts";
import { areFileNames } from "./file-names.ts";
import { baseName } from "./file-place.ts";
import { extractInlineScripts, inlineReference, listAppScripts, listFlowScripts } from "./inline-scripts.ts";
import { toScriptFiles } from "./script-files.ts";
import { formatYaml } from "./yaml.ts";

/** The options on which the names of files depend. */
export interface LayoutOptions {
  defaultTs: DefaultTs;
  nonDottedPaths: boolean;
  /** The resource types whose resources are files, by name (`resources/file_resource_type_to_file_ext_map`). */
  fileTypes: Readonly<Record<string, { format_extension?: string | null | undefined; is_fileset?: boolean | null | undefined }>>;
}

/** The files of an item by path from the root of the workspace, with `/` between the parts. */
export type FileMap = Map<string, string>;

export const folderSuffix = (kind: "flow" | "app", { nonDottedPaths }: Pick<LayoutOptions, "nonDottedPaths">): string =>
  nonDottedPaths ? `__${kind}` : `.${kind}`;

const single = (file: string, value: unknown): FileMap => new Map([[file, formatYaml(value)]]);

/**
 * Returns the files of an item (api.md §6.3). `existingNames`: the local names of the inline scripts of a flow or app, by the id of their module. They
 * are retained, so that an author may rename a file.
 */
export function toFiles(item: SyncItem, options: LayoutOptions, existingNames?: ReadonlyMap<string, string>): FileMap {
  const { kind, value } = item;
  switch (kind) {
    case "dependencies":
      return new Map([[baseName(item), String(value)]]);
    case "script":
      return toScriptFiles(item, options.defaultTs);
    case "flow":
    case "app":
      return toFolderFiles(item, options, existingNames);
    case "resource":
      return toResourceFiles(item, options);
    default:
      return single(`${baseName(item)}.yaml`, value);
  }
}

function toFolderFiles({ kind, path, value }: SyncItem, options: LayoutOptions, existingNames?: ReadonlyMap<string, string>): FileMap {
  const copy = structuredClone(kind === "app" ? toAppFile(fieldsOf({ value })) : value) as { value?: unknown };
  const scripts = kind === "flow" ? listFlowScripts(copy.value) : listAppScripts(copy.value);
  const extracted = extractInlineScripts(scripts, { ...options, existingNames });
  const folder = `${path}${folderSuffix(kind === "flow" ? "flow" : "app", options)}`;
  const files: FileMap = new Map([[`${folder}/${kind}.yaml`, formatYaml(copy)]]);
  for (const [name, content] of extracted) files.set(`${folder}/${name}`, content);
  return files;
}

function toResourceFiles({ path, value }: SyncItem, { fileTypes }: LayoutOptions): FileMap {
  const resource = isJsonObject(value) ? value : {};
  const { resource_type: typeName, value: inner } = resource;
  const type = typeof typeName === "string" && Object.hasOwn(fileTypes, typeName) ? fileTypes[typeName] : undefined;
  const resourceFile = `${path}.resource.yaml`;
  if (type?.is_fileset && isFileset(inner)) {
    const folder = `${path}.fileset`;
    const files = single(resourceFile, { ...resource, value: inlineReference(folder) });
    for (const [name, content] of Object.entries(inner)) files.set(`${folder}/${name}`, content);
    return files;
  }
  if (type?.format_extension && isJsonObject(inner) && typeof inner["content"] === "string") {
    const file = `${path}.resource.file.${type.format_extension}`;
    const files = single(resourceFile, { ...resource, value: { ...inner, content: inlineReference(file) } });
    return files.set(file, inner["content"]);
  }
  return single(resourceFile, resource);
}

/** A set of files contains a text for each name. With names that no file can have, it is an ordinary value. */
const isFileset = (value: unknown): value is Record<string, string> =>
  isJsonObject(value) && Object.values(value).every((content) => typeof content === "string") && areFileNames(Object.keys(value));
