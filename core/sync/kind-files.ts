import type * as z from "zod";
import { type KindName, type KindsWith, kindNames, type SimpleKindName, simpleKinds } from "../../contract/kinds/kinds.ts";
import { newScheduleSchema } from "../../contract/routes/schedules/schedule.ts";
import { newSimpleSchema } from "../../contract/routes/simple/simple-routes.ts";
import { type TriggerKind, triggerKinds } from "../../contract/routes/triggers/trigger-kind.ts";
import { newTriggerSchemas } from "../../contract/routes/triggers/trigger-kinds.ts";
import type { KindObject } from "../objects/kind-object.ts";
import { parseSimple, simpleObject } from "../objects/simple-object.ts";
import type { StoredObject } from "../objects/write.ts";
import { scheduleObject, toScheduleJson } from "../schedules/schedule.ts";
import { toTriggerJson, triggerObject } from "../triggers/trigger.ts";
import { removeServerFields } from "./server-fields.ts";

/** The files of a kind whose objects are all in one partition. */
export interface KindFiles {
  /** The request that creates an object. */
  readonly schema: z.ZodType;
  readonly partitionKey: (workspace: string) => string;
  /** Returns the path of a stored object, and the fields of its file. Throws `UnreadableRecordError`. */
  readonly toFile: (workspace: string, stored: StoredObject) => { path: string; fields: Record<string, unknown> };
}

/** Describes the files of a kind. `toJson` returns an object as replies show it: its file omits what the service sets. */
const describeFiles = <T extends { path: string }>(
  schema: z.ZodType,
  { partitionKey, parse }: Pick<KindObject<T>, "partitionKey" | "parse">,
  toJson: (workspace: string, object: T) => object,
): KindFiles => ({
  schema,
  partitionKey,
  toFile: (workspace, stored) => {
    const object = parse(stored);
    // An archive shows the extra permissions only if the caller requests them.
    const { extra_perms: _, ...fields } = removeServerFields(toJson(workspace, object));
    return { path: object.path, fields };
  },
});

const describeTriggerFiles = (kind: TriggerKind): KindFiles =>
  describeFiles(
    newTriggerSchemas[kind],
    { partitionKey: (workspace) => triggerObject.partitionKey(workspace, kind), parse: triggerObject.parse },
    (workspace, trigger) => {
      const { enabled, ...fields } = toTriggerJson(workspace, trigger, {});
      return fields;
    },
  );

/** The files of other kinds than triggers and simple objects. */
const otherFiles = {
  schedule: describeFiles(newScheduleSchema.omit({ preserve_permissioned_as: true }), scheduleObject, toScheduleJson),
} satisfies Partial<Record<KindName, KindFiles>>;

/** The kinds that have their own loader in `services/sync/create-archive.ts`. Kinds that svc lacks have no items. */
export type LoadedKind = Exclude<KindName, keyof typeof otherFiles | `${TriggerKind}_trigger` | SimpleKindName | KindsWith<"isMissing">>;

const filesByName: Readonly<Record<string, KindFiles>> = {
  ...otherFiles,
  ...Object.fromEntries(triggerKinds.map((kind) => [`${kind}_trigger`, describeTriggerFiles(kind)])),
  ...Object.fromEntries(
    [...simpleKinds].map(([kind, definition]) => [
      kind,
      describeFiles(
        newSimpleSchema(definition),
        { partitionKey: (workspace) => simpleObject.partitionKey(workspace, kind), parse: (stored) => parseSimple(kind, stored) },
        (_, { fields }) => fields,
      ),
    ]),
  ),
};

/** The files of each kind that no function of the kind loads. */
export const kindFiles: readonly (readonly [KindName, KindFiles])[] = kindNames.flatMap((kind) => {
  const files = filesByName[kind];
  return files ? [[kind, files] as const] : [];
});
