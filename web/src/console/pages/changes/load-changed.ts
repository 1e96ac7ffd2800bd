import { call } from "../../data/objects-api.ts";
import type { changesText } from "../../messages/objects/changes.ts";
import { readPages } from "../../parts/read-pages.ts";
import { loadTriggers, nameOf } from "../triggers/load-triggers.ts";
import { kindOf } from "../triggers/trigger.ts";
import type { SavedVersion } from "./changes.ts";

export type ChangedKind = keyof typeof changesText.kinds;

/** An object with the time of its last change. */
export interface ChangedItem {
  kind: ChangedKind;
  path: string;
  summary: string;
  editedAt: string;
  /** The author of the last change, where lists name it. */
  editedBy?: string | undefined;
  /** The name of the object in the address of its page. Default: its path. */
  name?: string;
}

interface Edited {
  path: string;
  edited_at?: string | undefined;
  edited_by?: string | undefined;
  summary?: string | null | undefined;
  description?: string | null | undefined;
}

/** Built-in objects have no time of a change. */
const toItems = (kind: ChangedKind, found: readonly Edited[]): ChangedItem[] =>
  found.flatMap(({ path, edited_at: editedAt, edited_by: editedBy, summary, description }) =>
    editedAt === undefined ? [] : [{ kind, path, summary: summary || description || "", editedAt, editedBy }],
  );

/** Loads the objects of all kinds that a person may read. */
export async function loadChangeable(workspace: string, signal: AbortSignal): Promise<ChangedItem[]> {
  const [scripts, flows, apps, variables, resources, types, schedules, routes, folders, triggers] = await Promise.all([
    readPages((query) => call.scripts.list({ workspace, query: { ...query, without_description: true }, signal })),
    readPages((query) => call.flows.list({ workspace, query: { ...query, without_description: true }, signal })),
    readPages((query) => call.apps.list({ workspace, query, signal })),
    readPages((query) => call.variables.list({ workspace, query, signal })),
    readPages((query) => call.resources.list({ workspace, query, signal })),
    call.resources.types.list({ workspace, signal }),
    readPages((query) => call.schedules.list({ workspace, query, signal })),
    readPages((query) => call.http_triggers.list({ workspace, query, signal })),
    readPages((query) => call.folders.list({ workspace, query, signal })),
    loadTriggers(workspace, signal),
  ]);
  return [
    ...toItems(
      "script",
      scripts.map(({ path, summary, created_at }) => ({ path, summary, edited_at: created_at })),
    ),
    ...toItems(
      "flow",
      flows.map(({ path, summary, edited_at }) => ({ path, summary, edited_at })),
    ),
    ...toItems("app", apps),
    ...toItems("variable", variables),
    ...toItems("resource", resources),
    ...toItems(
      "type",
      types.map(({ name, ...type }) => ({ ...type, path: name })),
    ),
    ...toItems("schedule", schedules),
    ...toItems("route", routes),
    ...toItems(
      "folder",
      folders.map(({ name, ...folder }) => ({ ...folder, path: name })),
    ),
    ...triggers.map((trigger) => ({
      kind: kindOf(trigger),
      path: trigger.path,
      summary: "",
      editedAt: trigger.edited_at,
      editedBy: trigger.edited_by,
      name: nameOf(trigger),
    })),
  ];
}

/** The kinds of which the service keeps versions. */
const versioned = {
  script: async (workspace: string, path: string, signal: AbortSignal): Promise<SavedVersion[]> =>
    (await call.scripts.history({ workspace, path, signal })).map(({ script_hash: id, ...version }) => toVersion({ ...version, id })),
  flow: async (workspace: string, path: string, signal: AbortSignal): Promise<SavedVersion[]> =>
    (await call.flows.history({ workspace, path, signal })).map(({ id, ...version }) => toVersion({ ...version, id: String(id) })),
};

interface StoredVersion {
  id: string;
  created_at?: string | undefined;
  created_by?: string | undefined;
  deployment_msg?: string | undefined;
}

const toVersion = ({ id, created_at = "", created_by = "", deployment_msg = "" }: StoredVersion): SavedVersion => ({
  id,
  savedAt: created_at,
  savedBy: created_by,
  message: deployment_msg,
});

export const hasVersions = (kind: ChangedKind): kind is keyof typeof versioned => Object.hasOwn(versioned, kind);

/** Loads the versions of a script or a flow, the newest first. Other kinds have none that the service compares. */
export const loadVersions = (workspace: string, { kind, path }: ChangedItem, signal: AbortSignal): Promise<SavedVersion[]> =>
  hasVersions(kind) ? versioned[kind](workspace, path, signal) : Promise.resolve([]);

const pages = {
  app: "/w/$ws/apps",
  variable: "/w/$ws/variables",
  resource: "/w/$ws/resources",
  type: "/w/$ws/resource-types",
  schedule: "/w/$ws/schedules",
  route: "/w/$ws/routes",
  folder: "/w/$ws/folders",
} as const;
type PageKind = keyof typeof pages;
const isOfPage = (kind: ChangedKind): kind is PageKind => Object.hasOwn(pages, kind);

/** Returns the address of an object, with its form where a page has one. */
export function addressOf(workspace: string, { kind, path, name = path }: ChangedItem) {
  const params = { ws: workspace };
  if (kind === "script" || kind === "flow") {
    const to = kind === "flow" ? ("/w/$ws/flows/$" as const) : ("/w/$ws/scripts/$" as const);
    return { to, params: { ...params, _splat: path } };
  }
  return { to: isOfPage(kind) ? pages[kind] : ("/w/$ws/triggers" as const), params, search: { edit: name } };
}
