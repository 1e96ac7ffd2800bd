import type { Kind } from "../../contract/kinds/kind.ts";
import { kinds, kindsWith } from "../../contract/kinds/kinds.ts";
import { type Noun, nounOf } from "../api/item-operations.ts";

/** A kind of objects with its own commands. */
export interface ObjectKind {
  /** The name of the command. */
  name: string;
  /** The name of the kind of its items. */
  item: string;
  /** The objects in a sentence. */
  plural: string;
  /** The beginning of the names of its operations. */
  noun: Noun;
  /** The columns of its list. */
  columns: readonly string[];
  /** Its objects are archived instead of deleted. */
  archive: boolean;
  /** Its objects have versions. */
  history: boolean;
  /** The list is not paged. */
  unpaged: boolean;
}

const toCommand = (item: string): string => item.replace("_", "-");

function describeKind(item: string, { columns = [], hasVersions, isArchived, id }: Kind): ObjectKind {
  const name = toCommand(item);
  return {
    ...{ name, item, plural: `${name.replace("-", " ")}s`, noun: nounOf(item), columns },
    archive: isArchived ?? false,
    history: hasVersions ?? false,
    unpaged: id === "name",
  };
}

/** Triggers have one command for all of their kinds. */
const describeTrigger = (kind: string): ObjectKind => ({
  ...describeKind(`${kind}_trigger`, { ...kinds.http_trigger, columns: ["path", "script_path", "mode"] }),
  ...{ name: "trigger", plural: "triggers" },
});

/** The place in the help: objects with versions, other objects at paths, objects with names. */
const rank = ({ history, unpaged }: ObjectKind): number => (history ? 0 : unpaged ? 2 : 1);

export const objectKinds: readonly ObjectKind[] = [
  ...kindsWith("columns").map((item) => describeKind(item, kinds[item])),
  describeTrigger("http"),
].sort((a, b) => rank(a) - rank(b));

/** Returns a kind by the name of its command. Triggers have operations for each of their kinds. */
export function findKind(name: string, trigger = "http"): ObjectKind {
  if (name === "trigger") return describeTrigger(trigger);
  const kind = objectKinds.find((one) => one.name === name);
  if (!kind) throw new Error(`There is no kind ${name}.`);
  return kind;
}

/** Returns the kind of an item, or `undefined` if it has no commands. */
export function findKindOf(item: string): ObjectKind | undefined {
  const trigger = /^(.+)_trigger$/.exec(item)?.[1];
  return trigger === undefined ? objectKinds.find((kind) => kind.item === item) : describeTrigger(trigger);
}
