import type * as z from "zod";
import type { KindName } from "../../contract/kinds/kinds.ts";
import { defineObject, inWorkspace, type ObjectKind, sortByPath, type ValueFormat } from "./define-object.ts";

/** The first part of the partition keys of these items, named after the simple kinds, which used it first. Stored keys contain it, so it cannot change. */
export const KIND_PARTITION = "SIMPLE";

/** The items of a kind of objects at paths. */
export type KindObject<T = unknown> = ObjectKind<[workspace: string], [path: string], T>;

/**
 * Defines the items of a kind of objects at paths. Each kind has a partition in each workspace, which no other kind of items can have. `simpleObject` in `core/stored-objects.ts` finds the items of all these kinds.
 *
 * @example
 * export const noteObject = defineKindObject("note", z.object({ path: z.string(), text: z.string() }));
 * noteObject.key("ops", "f/a/b"); // { pk: "SIMPLE#ops#note", sk: "f/a/b" }
 */
export const defineKindObject = <T>(kind: KindName, schema: z.ZodType<T>, format: ValueFormat = {}): KindObject<T> => ({
  ...defineObject({
    name: kind,
    partition: KIND_PARTITION,
    ...inWorkspace,
    within: (workspace: string) => `${workspace}#${kind}`,
    sort: sortByPath,
    schema,
    ...format,
  }),
  leadingKeys: `${KIND_PARTITION}#*#${kind}`,
});
