import * as z from "zod";
import { extraPerms, username } from "../../contract/common.ts";
import { flowShapeSchema } from "../../contract/flows/flow-value.ts";
import { type KindName, type KindsWith, kindNames, type SimpleKindName, simpleKinds } from "../../contract/kinds/kinds.ts";
import { newFlowSchema } from "../../contract/routes/flows/flows.ts";
import { newScheduleSchema } from "../../contract/routes/schedules/schedule.ts";
import { newSimpleSchema } from "../../contract/routes/simple/simple-routes.ts";
import { newAppSchema } from "../../contract/routes/stored/apps.ts";
import { newResourceSchema, newResourceTypeSchema } from "../../contract/routes/stored/resources.ts";
import { newScriptSchema } from "../../contract/routes/stored/script.ts";
import { newVariableSchema } from "../../contract/routes/stored/variables.ts";
import { type TriggerKind, triggerKinds } from "../../contract/routes/triggers/trigger-kind.ts";
import { newTriggerSchemas } from "../../contract/routes/triggers/trigger-kinds.ts";
import { settingsSchema } from "../../contract/routes/workspaces/setting-schemas.ts";
import { newFolderSchema } from "../../contract/routes/workspaces/workspace-schemas.ts";
import type { KindObject } from "../objects/kind-object.ts";
import { parseSimple, simpleObject } from "../objects/simple-object.ts";
import type { StoredObject } from "../objects/write.ts";
import { scheduleObject, toScheduleJson } from "../schedules/schedule.ts";
import { toTriggerJson, triggerObject } from "../triggers/trigger.ts";
import { removeServerFields } from "./server-fields.ts";

/** Fields of requests that no file has: a push sets them. */
const ofRequests = { deployment_message: true, preserve_on_behalf_of: true, skip_draft_deletion: true } as const;

/**
 * Fields that files may have, but requests do not. Clients of this API family write some of them for services with more features: a push omits
 * those that this service does not support.
 */
export const fileFields = z.object({
  extra_perms: extraPerms.optional(),
  has_on_behalf_of: z.boolean().optional(),
  has_permissioned_as: z.boolean().optional(),
  on_behalf_of_email: z.string().nullish(),
  ws_specific: z.boolean().nullish(),
  no_main_func: z.boolean().nullish(),
  draft_only: z.boolean().nullish(),
  is_draft: z.boolean().nullish(),
  public: z.boolean().nullish(),
  guests: z.boolean().nullish(),
});

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

const principals = z.array(z.string());

/**
 * The request that creates an item of each kind that `services/sync/create-archive.ts` loads by a function of the kind. Members, groups and settings
 * have files of another shape.
 */
const loadedSchemas = {
  folder: newFolderSchema,
  settings: settingsSchema.omit({ workspace_id: true }).partial(),
  user: z.object({ username, role: z.enum(["admin", "developer", "operator"]), disabled: z.boolean().optional() }),
  group: z.object({ summary: z.string().max(1000).nullish(), admins: principals.optional(), members: principals.optional() }),
  resource_type: newResourceTypeSchema,
  variable: newVariableSchema,
  resource: newResourceSchema,
  script: newScriptSchema.omit({ ...ofRequests, parent_hash: true, auto_parent: true }).partial({ summary: true }),
  // Rules that span several fields are checked by the service: a stored flow may be older than a rule.
  flow: newFlowSchema.omit(ofRequests).extend({ value: flowShapeSchema }),
  app: newAppSchema.omit(ofRequests).partial({ policy: true }),
};

/** The kinds whose items a function of the kind loads. The files of lists of package versions and of the encryption key are no fields. */
export type LoadedKind = keyof typeof loadedSchemas | "dependencies" | "encryption_key";

const triggerFiles = (kind: TriggerKind): KindFiles =>
  describeFiles(
    newTriggerSchemas[kind],
    { partitionKey: (workspace) => triggerObject.partitionKey(workspace, kind), parse: triggerObject.parse },
    (workspace, trigger) => {
      const { enabled, ...fields } = toTriggerJson(workspace, trigger, {});
      return fields;
    },
  );

/** The files of the other kinds. Kinds of triggers that svc lacks have none. */
const otherFiles: Readonly<
  Record<Exclude<KindName, LoadedKind | KindsWith<"isMissing"> | `${TriggerKind}_trigger` | SimpleKindName>, KindFiles>
> = {
  schedule: describeFiles(newScheduleSchema.omit({ preserve_permissioned_as: true }), scheduleObject, toScheduleJson),
};

const filesByName: Readonly<Record<string, KindFiles>> = {
  ...otherFiles,
  ...Object.fromEntries(triggerKinds.map((kind) => [`${kind}_trigger`, triggerFiles(kind)])),
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

/** The request that creates an item of each kind whose files contain fields. */
export const itemSchemas: Readonly<Record<string, z.ZodType>> = {
  ...loadedSchemas,
  ...Object.fromEntries(kindFiles.map(([kind, { schema }]) => [kind, schema])),
};
