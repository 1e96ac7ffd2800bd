import type { ScriptLanguage } from "../../contract/languages.ts";
import { type FileMap, toFiles } from "../../core/sync/files/layout.ts";
import type { SyncItem } from "../../core/sync/item.ts";

/** The numbers of items by kind of a workspace with 1,000 of them. */
const THOUSAND = {
  ...{ folder: 10, script: 100, flow: 50, app: 20, secret: 200, variable: 300, resource: 250, resource_type: 20, schedule: 50 },
};
export type GeneratedKind = keyof typeof THOUSAND;

const FOLDERS = THOUSAND.folder;

export interface GenerateOptions {
  /** The language of scripts and steps. */
  language: ScriptLanguage;
  source: string;
}

/** Returns an item of a generated workspace. `note`: a text that its content has. */
export function generateItem(kind: GeneratedKind, at: number, { language, source }: GenerateOptions, note = ""): SyncItem {
  const path = `f/area${at % FOLDERS}/${kind}${at}`;
  const summary = `${kind} ${at} ${note}`.trim();
  const content = source.replace("NOTE", note);
  switch (kind) {
    case "folder":
      return { kind, path: `area${at}`, value: { summary, owners: [], extra_perms: {} } };
    case "script":
      return { kind, path, language, content, value: { summary, description: "", lock: "", kind: "script", schema: aSchema } };
    case "flow":
      return { kind, path, value: { summary, description: "", value: { modules: [aStep("a"), aStep("b")] }, schema: aSchema } };
    case "app":
      return { kind, path, value: { summary, value: { grid: [], css: { note } }, policy: { execution_mode: "viewer" } } };
    case "secret":
    case "variable":
      return { kind: "variable", path, value: { value: `value ${at} ${note}`, is_secret: kind === "secret", description: summary } };
    case "resource":
      return {
        kind,
        path,
        value: { description: summary, resource_type: "any", value: { host: `host${at}`, port: 5432, options: { note } } },
      };
    case "resource_type":
      return { kind, path: `type${at}`, value: { description: summary, schema: aSchema } };
    case "schedule": {
      const when = { schedule: "0 0 12 * * *", timezone: "UTC", enabled: false, args: { name: note } };
      return { kind, path, value: { summary, ...when, script_path: `f/area${at % FOLDERS}/script${at}`, is_flow: false } };
    }
  }

  function aStep(id: string): object {
    return {
      id,
      summary: `Step ${id}`,
      value: { type: "rawscript", language, content: `${content}${id}\n`, input_transforms: {}, lock: "" },
    };
  }
}

const aSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { name: { type: "string", description: "A name" }, count: { type: "integer", default: 3 } },
  required: ["name"],
};

/** Returns the items of a generated workspace: 1,000, or a part of each kind. */
export function generateItems(options: GenerateOptions, { part = 1, note = "" } = {}): SyncItem[] {
  return (Object.entries(THOUSAND) as [GeneratedKind, number][]).flatMap(([kind, count]) => {
    // Other items need every folder.
    const wanted = kind === "folder" ? count : Math.ceil(count * part);
    return Array.from({ length: wanted }, (_, at) => generateItem(kind, at, options, note));
  });
}

/** Returns the files of items. */
export const filesOf = (items: readonly SyncItem[]): FileMap =>
  new Map(items.flatMap((item) => [...toFiles(item, { defaultTs: "bun", nonDottedPaths: false, fileTypes: {} })]));
