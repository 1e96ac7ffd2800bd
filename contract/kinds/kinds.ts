import { type MissingTriggerKind, missingTriggerKinds, type TriggerKind, triggerKinds } from "../routes/triggers/trigger-kind.ts";
import type { Kind } from "./kind.ts";
import type { SimpleKind } from "./simple-kind.ts";
import * as listedSimpleKinds from "./simple-kinds.ts";

const trigger = { option: "includeTriggers", parameter: "include_triggers", specific: "triggers", isShared: true } as const;

/** Lists take the route of a missing kind and are empty. */
const defineMissingTrigger = <K extends MissingTriggerKind>(kind: K) =>
  ({ ...trigger, domain: "workspaces", routes: `${kind}_triggers`, isMissing: true }) as const satisfies Kind;

const defineTrigger = <K extends TriggerKind>(kind: K) =>
  ({
    ...trigger,
    domain: `${kind}_triggers`,
    hasIdentity: true,
    // Clients of other servers do not know it.
    ...(kind === "aws" ? { onlyInOwnArchives: true } : {}),
  }) as const satisfies Kind;

type Triggers<Kinds extends string, Facts> = { readonly [K in Kinds as `${K}_trigger`]: Facts };

const nameTriggers = <K extends string, Facts>(names: readonly K[], define: (kind: K) => Facts) =>
  Object.fromEntries(names.map((kind) => [`${kind}_trigger`, define(kind)])) as Triggers<K, Facts>;

export type SimpleKindName = keyof typeof listedSimpleKinds;
/** The simple kinds by name. The list may be empty, and its names have no type then. */
export const simpleKinds: ReadonlyMap<string, SimpleKind> = new Map(Object.entries<SimpleKind>(listedSimpleKinds));
export const simpleKindNames: readonly string[] = [...simpleKinds.keys()];

/** Returns the definition of a simple kind. */
export function requireSimpleKind(name: string): SimpleKind {
  const kind = simpleKinds.get(name);
  if (!kind) throw new Error(`There is no simple kind ${name}.`);
  return kind;
}

/** The options of a synchronisation that leave out simple kinds. */
export type SimpleKindOption = `skip${Capitalize<SimpleKindName>}s`;

type SimpleKinds = {
  readonly [K in SimpleKindName]: Pick<Kind, "columns"> & {
    readonly domain: `${K}s`;
    readonly option: `skip${Capitalize<K>}s`;
    readonly onlyInOwnArchives: true;
    readonly isShared: true;
  };
};

const capitalize = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

const describeSimple = (name: string, { columns }: SimpleKind): Kind => ({
  domain: `${name}s`,
  option: `skip${capitalize(name)}s`,
  onlyInOwnArchives: true,
  isShared: true,
  columns,
});

/** Every kind of items, in the order in which a push applies them: each may refer to those before it. Permissions, archives, files, events, operations of the audit log and commands derive from this table. */
export const kinds = {
  folder: {
    domain: "folders",
    operations: "folder",
    id: "name",
    file: "f/*/folder.meta",
    option: "skipFolders",
    specific: "folders",
    columns: ["name", "summary"],
  },
  encryption_key: {
    domain: "encryption_key",
    id: "none",
    file: "encryption_key",
    option: "includeKey",
    parameter: "include_key",
    isConfidential: true,
  },
  user: { domain: "users", id: "name", file: "users/*.user", option: "includeUsers", parameter: "include_users" },
  group: {
    domain: "groups",
    operations: "group",
    id: "name",
    file: "groups/*.group",
    option: "includeGroups",
    parameter: "include_groups",
    columns: ["name", "summary"],
  },
  resource_type: {
    domain: "resources",
    routes: "resources/type",
    routeNames: "resources.types",
    operations: "resource_types",
    id: "name",
    file: "*.resource-type",
    option: "skipResourceTypes",
    parameter: "skip_resource_types",
    columns: ["name", "description"],
  },
  variable: {
    domain: "variables",
    option: "skipVariables",
    parameter: "skip_variables",
    specific: "variables",
    isShared: true,
    holdsValue: true,
    columns: ["path", "is_secret", "description"],
  },
  resource: {
    domain: "resources",
    option: "skipResources",
    parameter: "skip_resources",
    specific: "resources",
    isShared: true,
    isConfidential: true,
    holdsValue: true,
    columns: ["path", "resource_type", "description"],
  },
  dependencies: {
    domain: "workspaces",
    routes: "workspace_dependencies",
    routeNames: "dependencies",
    id: "name",
    file: "dependencies/*",
    option: "skipWorkspaceDependencies",
    parameter: "include_workspace_dependencies",
  },
  script: {
    domain: "scripts",
    layout: "script",
    option: "skipScripts",
    isShared: true,
    hasVersions: true,
    isArchived: true,
    columns: ["path", "language", "summary"],
  },
  flow: {
    domain: "flows",
    layout: "folder",
    option: "skipFlows",
    isShared: true,
    hasVersions: true,
    isArchived: true,
    columns: ["path", "summary"],
  },
  raw_app: { domain: "apps", layout: "folder", option: "skipApps", isMissing: true },
  app: {
    domain: "apps",
    layout: "folder",
    option: "skipApps",
    isShared: true,
    hasIdentity: true,
    hasVersions: true,
    columns: ["path", "summary"],
  },
  // Settings name handlers, which must exist.
  settings: {
    domain: "workspaces",
    id: "none",
    file: "settings",
    option: "includeSettings",
    parameter: "include_settings",
    specific: "settings",
    isConfidential: true,
  },
  schedule: {
    domain: "schedules",
    operations: "schedule",
    option: "includeSchedules",
    parameter: "include_schedules",
    specific: "triggers",
    isShared: true,
    hasIdentity: true,
    columns: ["path", "schedule", "timezone", "enabled"],
  },
  ...nameTriggers(triggerKinds, defineTrigger),
  ...nameTriggers(missingTriggerKinds, defineMissingTrigger),
  ...(Object.fromEntries([...simpleKinds].map(([name, kind]) => [name, describeSimple(name, kind)])) as SimpleKinds),
} as const satisfies Readonly<Record<string, Kind>>;

type Kinds = typeof kinds;
export type KindName = keyof Kinds;
/** The domains of all kinds. */
export type KindDomain = Kinds[KindName]["domain"];
/** The kinds that have a property. */
export type KindsWith<Property extends keyof Kind> = {
  [K in KindName]: Kinds[K] extends { readonly [P in Property]: unknown } ? K : never;
}[KindName];

/** Every kind, in the order of the table. */
export const kindNames = Object.keys(kinds) as readonly KindName[];

/** Returns what is known about a kind, or `undefined` if there is no kind of this name: files and requests may state any name. */
export const findKind = (name: string): Kind | undefined => (Object.hasOwn(kinds, name) ? kinds[name as KindName] : undefined);

/** Lists the kinds that have a property. */
export const kindsWith = <Property extends keyof Kind>(property: Property): readonly KindsWith<Property>[] =>
  kindNames.filter((name): name is KindsWith<Property> => property in kinds[name]);
