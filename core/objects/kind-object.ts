import type * as z from "zod";
import { defineObject, inWorkspace, type ObjectKind, sortByPath, type ValueFormat } from "./define-object.ts";

/** The first part of the partition keys of these items. Stored keys contain it, so it keeps the name of the kinds that were the first to have it. */
export const KIND_PARTITION = "SIMPLE";

/** The items of a kind of objects at paths. */
export type KindObject<T = unknown> = ObjectKind<[workspace: string], [path: string], T>;

/**
 * Defines the items of a kind of objects at paths. `kind`: its name in `contract/kinds/kinds.ts`. Each kind has a partition in each workspace, which
 * no other kind of items can have. `simpleObject` in `core/stored-objects.ts` finds the items of all these kinds.
 *
 * @example
 * export const noteObject = defineKindObject("note", z.object({ path: z.string(), text: z.string() }));
 * noteObject.key("ops", "f/a/b"); // { pk: "SIMPLE#ops#note", sk: "f/a/b" }
 */
export const defineKindObject = <T>(kind: string, schema: z.ZodType<T>, format: ValueFormat = {}): KindObject<T> => ({
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
