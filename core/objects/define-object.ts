import * as z from "zod";
import { INSTANCE } from "../../contract/common.ts";
import { parseReadable, parseStored, UnreadableRecordError } from "../records/record-format.ts";
import type { ObjectKey, StoredObject } from "./write.ts";

/**
 * The workspace to which an item belongs, so that the deletion of the workspace removes the item. `partition`: the workspace is the first part
 * after the name of the partition. `value`: the value contains it, as for a token that is limited to a workspace. `none`: the item belongs to the
 * instance or to a person. A function returns the workspace in a key of another form.
 */
type Ownership = "partition" | "value" | "none" | ((key: ObjectKey) => string | undefined);

/** The format of the values of a kind. */
export interface ValueFormat {
  /** The version of the format: 1 unless it is stated. Increased when names or meanings of fields change. */
  version?: number;
  /** Converts the value of an earlier version to this version. */
  upgrade?: (value: unknown, version: number) => unknown;
}

interface Definition<P extends unknown[], S extends unknown[], T> extends ValueFormat {
  /** The name in errors. */
  name: string;
  /** The first part of the partition key. Kinds that share it differ in their sort keys. */
  partition: string;
  /** The rest of the partition key. Absent: all items of the kind share one partition. */
  within?: (...parts: P) => string;
  sort: (...parts: S) => string;
  schema: z.ZodType<T>;
  belongsTo: Ownership;
  /** Returns the value from fields that writers change separately, such as the state of a build. */
  read?: (stored: StoredObject) => unknown;
}

/** A kind of items in the table of objects. */
export interface ObjectKind<P extends unknown[] = never[], S extends unknown[] = never[], T = unknown> {
  readonly name: string;
  readonly partition: string;
  /** The pattern of the kind's partition keys, for conditions of IAM on `dynamodb:LeadingKeys`. */
  readonly leadingKeys: string;
  key(...parts: [...P, ...S]): ObjectKey;
  /** Returns whether an item is in a partition of this kind. Kinds that share a partition differ in their sort keys. */
  holds(key: ObjectKey): boolean;
  /** Returns the partition key, for lists. */
  partitionKey(...parts: P): string;
  /** Parses the value of an item. Throws `UnreadableRecordError` with the item's key, also for an item of another kind or of a later version. */
  parse(stored: StoredObject): T;
  /** Parses the values of a list. An unreadable value is reported and left out, so that it does not fail the list. */
  parseReadable(stored: readonly StoredObject[]): T[];
  /** Returns the workspace to which an item belongs. `workspace`: the one in its value. */
  workspaceOf(item: ObjectKey & { workspace?: string | undefined }): string | undefined;
}

/** The value of an item of a kind: `ValueOf<typeof noteObject>`. */
export type ValueOf<Kind extends { parse(stored: StoredObject): unknown }> = ReturnType<Kind["parse"]>;

/** The part that all kinds share. */
export type AnyObjectKind = Pick<ObjectKind, "name" | "partition" | "leadingKeys">;

/**
 * Defines a kind of items in the table of objects. `core/stored-objects.ts` lists all kinds.
 *
 * @example
 * export const noteObject = defineObject({
 *   name: "note",
 *   partition: "NOTE",
 *   ...inWorkspace,
 *   sort: (path: string) => path,
 *   schema: z.object({ path: z.string(), text: z.string() }),
 * });
 * noteObject.key("ops", "f/a/b"); // { pk: "NOTE#ops", sk: "f/a/b" }
 */
export function defineObject<P extends unknown[], S extends unknown[], T>({
  name,
  partition,
  within,
  sort,
  schema,
  belongsTo,
  read = ({ value }) => value,
  version = 1,
  upgrade = (value) => value,
}: Definition<P, S, T>): ObjectKind<P, S, T> {
  const partitionKey = (...parts: P) => (within ? `${partition}#${within(...parts)}` : partition);
  const holds = ({ pk }: ObjectKey) => (within ? pk.startsWith(`${partition}#`) : pk === partition);

  const parse = (stored: StoredObject): T => {
    const record = { parent: stored.pk, ref: stored.sk };
    const refuse = (message: string) => new UnreadableRecordError(record, { cause: new Error(message) });
    if (!holds(stored)) throw refuse(`The item is no ${name}.`);
    const { format = 1 } = stored;
    if (format > version) throw refuse(`Version ${format} is not supported.`);
    const value = read(stored);
    return parseStored(schema, format === version ? value : upgrade(value, format), record);
  };

  return {
    name,
    partition,
    leadingKeys: within ? `${partition}#*` : partition,
    partitionKey,
    key(...parts) {
      const arity = within?.length ?? 0;
      const key = { pk: partitionKey(...(parts.slice(0, arity) as P)), sk: sort(...(parts.slice(arity) as S)) };
      return version === 1 ? key : { ...key, format: version };
    },
    holds,
    parse,
    parseReadable(stored) {
      const records = stored.map((object) => ({ parent: object.pk, ref: object.sk, object }));
      return parseReadable(records, ({ object }) => parse(object)).map(([, value]) => value);
    },
    workspaceOf(item) {
      if (belongsTo === "none" || !holds(item)) return undefined;
      if (belongsTo === "value") return item.workspace;
      const workspace = belongsTo === "partition" ? item.pk.split("#")[1] : belongsTo(item);
      return workspace === INSTANCE ? undefined : workspace;
    },
  };
}

/** The partition of a kind whose items belong to a workspace. */
export const inWorkspace = { within: (workspace: string) => workspace, belongsTo: "partition" } as const;

/** The partitions of a kind whose items belong to a part of a workspace, such as a path, a version or a kind. */
export const inWorkspaceBy = <Part extends string | number>() =>
  ({ within: (workspace: string, part: Part) => `${workspace}#${part}`, belongsTo: "partition" }) as const;

/** The partition of a kind whose items all workspaces share. `part`: the index of the workspace in the parts of their sort keys. */
export const inQueue = (part: 0 | 1) => ({ belongsTo: ({ sk }: ObjectKey) => sk.split("#")[part] }) as const;

/** A request may contain a path that is longer than a sort key. The shortened path is still longer than any stored one. */
export const sortByPath = (path: string): string => path.slice(0, 255);

/** A time (epoch ms) as text that sorts like the time. A time in the far future has more than 14 digits. */
export const sortableMs = (atMs: number, digits = 14): string => String(atMs).padStart(digits, "0");

/** A growing number as text that sorts like the number. */
export const sortableNumber = (n: number, digits = 16): string => String(n).padStart(digits, "0");

/** A kind whose items have no value: only their keys have a meaning. */
export const withoutValue = { schema: z.undefined() };

/** Returns the value of a version with the state of its build, a separate field so that neither writer overwrites the other one. */
export const readWithBuild = ({ value, build }: StoredObject) => ({ ...(value as object), build });
