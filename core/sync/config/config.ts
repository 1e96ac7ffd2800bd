import * as z from "zod";
import { findKind, type SimpleKindOption, simpleKindNames } from "../../../contract/kinds/kinds.ts";

const flag = z.boolean();
const globs = z.array(z.string());

/** The options of a synchronisation (spec §2.9). Each is a property of `svc.yaml` and a flag of `svc sync`. */
export const syncOptions = {
  defaultTs: z.enum(["bun", "deno"]).describe("Runtime of scripts whose file ends with .ts alone. Default: bun."),
  includes: globs.describe("Globs of the files that are synchronised. Default: all."),
  extraIncludes: globs.describe("Globs in addition to `includes`."),
  excludes: globs.describe("Globs of files that are not synchronised."),
  skipVariables: flag.describe("Leave out variables."),
  skipResources: flag.describe("Leave out resources."),
  skipResourceTypes: flag.describe("Leave out resource types."),
  skipSecrets: flag.describe("Leave out secret variables. Default: true."),
  skipScripts: flag.describe("Leave out scripts."),
  skipFlows: flag.describe("Leave out flows."),
  skipApps: flag.describe("Leave out apps."),
  ...(Object.fromEntries(
    simpleKindNames.map((kind) => {
      const { option = "", domain = "" } = findKind(kind) ?? {};
      return [option, flag.describe(`Leave out ${domain}.`)];
    }),
  ) as Record<SimpleKindOption, typeof flag>),
  skipFolders: flag.describe("Leave out folders."),
  skipWorkspaceDependencies: flag.describe("Leave out the workspace's lists of package versions."),
  skipDmn: flag.describe("Has no effect: workspaces have no decision tables."),
  skipDataMigrations: flag.describe("Has no effect: workspaces have no data migrations."),
  includeSchedules: flag.describe("Synchronise schedules."),
  includeTriggers: flag.describe("Synchronise triggers."),
  includeUsers: flag.describe("Synchronise the members of the workspace."),
  includeGroups: flag.describe("Synchronise groups."),
  includeSettings: flag.describe("Synchronise the settings of the workspace."),
  includeKey: flag.describe("Synchronise the key that encrypts exported secrets."),
  parallel: z.int().min(1).max(100).describe("Number of parallel requests of a push, and of locks that are generated at once. Default: 1."),
  locksRequired: flag.describe("Stop before a push if a script has no lock."),
  lint: flag.describe("Run `svc lint` before a push."),
  plainSecrets: flag.describe("Read and write secrets as plain text. Not recommended."),
  message: z.string().max(1000).describe("Deployment message of a push. Default: the subject of the last commit."),
  promotion: z.string().describe("Git branch whose `promotionOverrides` apply."),
  skipBranchValidation: flag.describe("Continue on a git branch that no workspace names."),
  nonDottedPaths: flag.describe("Name folders of flows and apps `__flow` and `__app` instead of `.flow` and `.app`."),
  syncBehavior: z.enum(["v0", "v1"]).describe("v1: the identities on whose behalf objects run stay those of the workspace."),
} as const;
export type SyncOptionName = keyof typeof syncOptions;

export const syncOptionsSchema = z.strictObject(syncOptions).partial();
export type SyncOptions = z.output<typeof syncOptionsSchema>;

const codebaseSchema = z.strictObject({
  relative_path: z.string().describe("Folder of the codebase, relative to svc.yaml."),
  includes: globs
    .optional()
    .describe("Globs of the scripts that are bundled, relative to the folder or to svc.yaml. Default: all scripts in the folder."),
  excludes: globs.optional().describe("Globs of scripts in the folder that are not bundled."),
  format: z.enum(["cjs", "esm"]).optional().describe("Default: cjs for nodejs, esm for bun."),
  external: z
    .array(z.string())
    .optional()
    .describe("Packages that are not bundled. The service installs none: `assets` can add one as node_modules/<name>."),
  assets: z
    .array(z.strictObject({ from: z.string(), to: z.string() }))
    .optional()
    .describe("Files and folders relative to svc.yaml, and their places beside the bundle."),
  customBundler: z
    .string()
    .optional()
    .describe(
      "Program relative to svc.yaml that is called with the path of the entry and writes the bundle to standard output. A person is asked before it runs.",
    ),
  inject: z.array(z.string()).optional().describe("Files relative to svc.yaml that every bundle imports."),
  define: z.record(z.string(), z.string()).optional().describe("Constants that the bundler replaces."),
  banner: z.record(z.string(), z.string()).optional().describe("Text at the beginning of the bundle, by type: js."),
  loader: z.record(z.string(), z.string()).optional().describe("Loaders by file extension."),
});

export type Codebase = z.output<typeof codebaseSchema>;

const specificItemsSchema = z.strictObject({
  variables: globs.optional(),
  resources: globs.optional(),
  triggers: globs.optional(),
  folders: globs.optional(),
  settings: z.boolean().optional(),
});
export type SpecificItems = z.output<typeof specificItemsSchema>;

const workspaceEntrySchema = z.strictObject({
  gitBranch: z.string().optional().describe("Default: the name of the workspace."),
  workspaceId: z.string().optional().describe("Default: the name of the workspace."),
  baseUrl: z.string().optional().describe("Origin of the service."),
  overrides: syncOptionsSchema.optional(),
  promotionOverrides: syncOptionsSchema.optional(),
  specificItems: specificItemsSchema.optional(),
});
export type WorkspaceEntry = z.output<typeof workspaceEntrySchema>;

/** The key in a map of workspaces that is not a workspace. */
export const COMMON_ITEMS = "commonSpecificItems";
const workspacesSchema = z.object({ [COMMON_ITEMS]: specificItemsSchema.optional() }).catchall(workspaceEntrySchema);

/** The content of `svc.yaml`. */
export const configSchema = z.strictObject({
  ...syncOptionsSchema.shape,
  codebases: z.array(codebaseSchema).optional(),
  workspaces: workspacesSchema.optional(),
  gitBranches: workspacesSchema.optional().describe("Deprecated: use `workspaces`."),
  environments: workspacesSchema.optional().describe("Deprecated: use `workspaces`."),
});
export type SyncConfig = z.output<typeof configSchema>;

/** Returns the JSON Schema of `svc.yaml`, for editors. */
export function toConfigJsonSchema(): Record<string, unknown> {
  return { title: "svc.yaml", ...z.toJSONSchema(configSchema, { io: "input" }) };
}
