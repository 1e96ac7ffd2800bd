import * as z from "zod";
import { extraPerms, username } from "../../../contract/common.ts";
import { flowShapeSchema } from "../../../contract/flows/flow-value.ts";
import { newFlowSchema } from "../../../contract/routes/flows/flows.ts";
import { newAppSchema } from "../../../contract/routes/stored/apps.ts";
import { newResourceSchema, newResourceTypeSchema } from "../../../contract/routes/stored/resources.ts";
import { newScriptSchema } from "../../../contract/routes/stored/script.ts";
import { newVariableSchema } from "../../../contract/routes/stored/variables.ts";
import { settingsSchema } from "../../../contract/routes/workspaces/setting-schemas.ts";
import { newFolderSchema } from "../../../contract/routes/workspaces/workspace-schemas.ts";
import { kindFiles, type LoadedKind } from "../kind-files.ts";

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

/**
 * The request that creates an item of each kind that `services/sync/create-archive.ts` loads by a function of the kind. Members, groups and settings
 * have files of another shape. Those of lists of package versions and of the encryption key contain no fields.
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
} satisfies Record<Exclude<LoadedKind, "dependencies" | "encryption_key">, z.ZodType>;

/** The request that creates an item of each kind whose files contain fields. */
export const itemSchemas: Readonly<Record<string, z.ZodType>> = {
  ...loadedSchemas,
  ...Object.fromEntries(kindFiles.map(([kind, { schema }]) => [kind, schema])),
};
