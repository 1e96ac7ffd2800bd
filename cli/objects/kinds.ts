/** A kind of objects with commands of its own, and its routes below the workspace. */
export interface ObjectKind {
  /** The name of the command, and of the kind in `core/sync` with `_` for `-`. */
  name: string;
  /** The objects in a sentence. */
  what: string;
  /** The beginning of its routes. */
  routes: string;
  /** The route of one object, without its path. */
  get: string;
  /** The columns of its list. */
  columns: readonly string[];
  /** Its objects are archived and not deleted. */
  archive?: true;
  /** The route of the versions, without the path. */
  history?: string;
  /** The list is not paged. */
  unpaged?: true;
}

export const objectKinds: readonly ObjectKind[] = [
  {
    name: "script",
    what: "scripts",
    routes: "scripts",
    get: "scripts/get/p",
    columns: ["path", "language", "summary"],
    archive: true,
    history: "scripts/history/p",
  },
  {
    name: "flow",
    what: "flows",
    routes: "flows",
    get: "flows/get",
    columns: ["path", "summary"],
    archive: true,
    history: "flows/history/p",
  },
  { name: "app", what: "apps", routes: "apps", get: "apps/get/p", columns: ["path", "summary"], history: "apps/history/p" },
  { name: "variable", what: "variables", routes: "variables", get: "variables/get", columns: ["path", "is_secret", "description"] },
  { name: "resource", what: "resources", routes: "resources", get: "resources/get", columns: ["path", "resource_type", "description"] },
  {
    name: "resource-type",
    what: "resource types",
    routes: "resources/type",
    get: "resources/type/get",
    columns: ["name", "description"],
    unpaged: true,
  },
  { name: "folder", what: "folders", routes: "folders", get: "folders/get", columns: ["name", "summary"], unpaged: true },
  { name: "group", what: "groups", routes: "groups", get: "groups/get", columns: ["name", "summary"], unpaged: true },
  { name: "schedule", what: "schedules", routes: "schedules", get: "schedules/get", columns: ["path", "schedule", "timezone", "enabled"] },
  { name: "trigger", what: "triggers", routes: "", get: "", columns: ["path", "script_path", "mode"] },
];

/** Returns a kind by its name. Triggers have routes for each of their kinds. */
export function findKind(name: string, trigger = "http"): ObjectKind {
  const kind = objectKinds.find((one) => one.name === name);
  if (!kind) throw new Error(`There is no kind ${name}.`);
  return name === "trigger" ? { ...kind, routes: `${trigger}_triggers`, get: `${trigger}_triggers/get` } : kind;
}
