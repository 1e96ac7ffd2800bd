import { routesOf } from "../api/routes.ts";

/** A kind of objects with its own commands, and its routes below the workspace. */
export interface ObjectKind {
  /** The name of the command. */
  name: string;
  /** The name in `core/sync`. */
  item: string;
  /** The objects in a sentence. */
  what: string;
  /** The beginning of its routes. */
  routes: string;
  /** The route of one object, without its path. */
  get: string;
  /** The columns of its list. */
  columns: readonly string[];
  /** Its objects are archived instead of deleted. */
  archive?: true;
  /** Its objects have versions. */
  history?: true;
  /** The list is not paged. */
  unpaged?: true;
}

/** Kinds whose route of one object by path has `/p`, because others find it by the version. */
const BY_PATH = new Set(["script", "app"]);

type Special = Pick<ObjectKind, "archive" | "history" | "unpaged">;
function describeKind(name: string, columns: readonly string[], special: Special = {}, item = name.replace("-", "_")): ObjectKind {
  const routes = routesOf(item);
  const get = `${routes}/get${BY_PATH.has(name) ? "/p" : ""}`;
  return { name, item, what: `${name.replace("-", " ")}s`, routes, get, columns, ...special };
}

export const objectKinds: readonly ObjectKind[] = [
  describeKind("script", ["path", "language", "summary"], { archive: true, history: true }),
  describeKind("flow", ["path", "summary"], { archive: true, history: true }),
  describeKind("app", ["path", "summary"], { history: true }),
  describeKind("variable", ["path", "is_secret", "description"]),
  describeKind("resource", ["path", "resource_type", "description"]),
  describeKind("resource-type", ["name", "description"], { unpaged: true }),
  describeKind("folder", ["name", "summary"], { unpaged: true }),
  describeKind("group", ["name", "summary"], { unpaged: true }),
  describeKind("schedule", ["path", "schedule", "timezone", "enabled"]),
  describeKind("trigger", ["path", "script_path", "mode"]),
];

/** Returns a kind by its name. Triggers have routes for each of their kinds. */
export function findKind(name: string, trigger = "http"): ObjectKind {
  const kind = objectKinds.find((one) => one.name === name);
  if (!kind) throw new Error(`There is no kind ${name}.`);
  return name === "trigger" ? describeKind(name, kind.columns, {}, `${trigger}_trigger`) : kind;
}
