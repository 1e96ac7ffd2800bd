import * as z from "zod";
import { requireSimpleKind } from "../../contract/kinds/kinds.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { parseReadable, parseStored } from "../records/record-format.ts";
import { defineObject, inWorkspaceBy, sortByPath } from "./define-object.ts";
import { KIND_PARTITION } from "./kind-object.ts";
import type { StoredObject } from "./write.ts";

const simpleSchema = z.object({
  path: z.string(),
  /** As the definition of the kind describes them. */
  fields: z.record(z.string(), z.unknown()),
  createdBy: z.string(),
  editedBy: z.string(),
  editedAtMs: z.number(),
});
export type StoredSimple = z.infer<typeof simpleSchema>;

/** An object of a simple kind (contract/kinds/simple-kind.ts). Its key has the form of `defineKindObject`. */
export const simpleObject = defineObject({
  name: "object of a simple kind",
  partition: KIND_PARTITION,
  ...inWorkspaceBy<string>(),
  sort: sortByPath,
  schema: simpleSchema,
});

/** Parses an object with the fields of its kind. Throws `UnreadableRecordError`. */
export function parseSimple(kind: string, stored: StoredObject): StoredSimple {
  const object = simpleObject.parse(stored);
  return { ...object, fields: parseStored(requireSimpleKind(kind).fields, object.fields, { parent: stored.pk, ref: stored.sk }) };
}

/** Parses the objects of a list. An unreadable object is reported and left out, so that it does not fail the list. */
export const parseReadableSimple = (kind: string, stored: readonly StoredObject[]): StoredSimple[] =>
  parseReadable(
    stored.map((object) => ({ parent: object.pk, ref: object.sk, object })),
    ({ object }) => parseSimple(kind, object),
  ).map(([, value]) => value);

/** Returns an object as replies show it. */
export const toSimpleJson = (
  workspace: string,
  { path, fields, createdBy, editedBy, editedAtMs }: StoredSimple,
  extraPerms: Readonly<Record<string, boolean>>,
) => ({
  ...fields,
  workspace_id: workspace,
  path,
  extra_perms: extraPerms,
  created_by: createdBy,
  edited_by: editedBy,
  edited_at: toIsoTime(editedAtMs),
});
