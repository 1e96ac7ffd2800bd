import * as z from "zod";
import { extraPerms, username } from "../../../contract/common.ts";
import { flowShapeSchema } from "../../../contract/flows/flow-value.ts";
import { simpleKinds } from "../../../contract/kinds/kinds.ts";
import { newFlowSchema } from "../../../contract/routes/flows/flows.ts";
import { newScheduleSchema } from "../../../contract/routes/schedules/schedule.ts";
import { newSimpleSchema } from "../../../contract/routes/simple/simple-routes.ts";
import { newAppSchema } from "../../../contract/routes/stored/apps.ts";
import { newResourceSchema, newResourceTypeSchema } from "../../../contract/routes/stored/resources.ts";
import { newScriptSchema } from "../../../contract/routes/stored/script.ts";
import { newVariableSchema } from "../../../contract/routes/stored/variables.ts";
import { newTriggerSchemas } from "../../../contract/routes/triggers/trigger-kinds.ts";
import { settingsSchema } from "../../../contract/routes/workspaces/setting-schemas.ts";
import { newFolderSchema } from "../../../contract/routes/workspaces/workspace-schemas.ts";

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

const principals = z.array(z.string());

/** The request that creates an item of each kind. Members, groups and settings have files of another shape. Kinds of triggers that svc lacks have none. */
export const itemSchemas: Readonly<Record<string, z.ZodType>> = {
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
  ...Object.fromEntries([...simpleKinds].map(([kind, definition]) => [kind, newSimpleSchema(definition)])),
  schedule: newScheduleSchema.omit({ preserve_permissioned_as: true }),
  ...Object.fromEntries(Object.entries(newTriggerSchemas).map(([kind, schema]) => [`${kind}_trigger`, schema])),
};
