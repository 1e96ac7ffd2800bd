import * as z from "zod";
import { flag, inWorkspace } from "../../common.ts";
import { defineRoute } from "../../route.ts";

/** The content and format of an archive. Clients of this API family send every parameter every time (api.md §6.1). */
export const archiveQuery = z.object({
  archive_type: z.string().optional().describe("zip (the default) or tar."),
  plain_secret: flag.optional().describe("Decrypts secrets. Otherwise their values are encrypted with the workspace's key."),
  skip_variables: flag.optional(),
  skip_resources: flag.optional(),
  skip_resource_types: flag.optional(),
  skip_secrets: flag.optional(),
  include_schedules: flag.optional(),
  include_triggers: flag.optional(),
  include_users: flag.optional(),
  include_groups: flag.optional(),
  include_settings: flag.optional(),
  include_key: flag.optional(),
  include_workspace_dependencies: flag.optional().describe("Default: true."),
  skip_datatable_migrations: flag.optional().describe("Has no effect: workspaces have no such migrations."),
  default_ts: z.enum(["bun", "deno"]).optional().describe("The runtime of files that end with .ts alone. Default: bun."),
  settings_version: z.string().optional().describe("Has no effect: settings are always grouped."),
  preserve_extra_perms: flag.optional().describe("Adds extra_perms to the objects that have some."),
  sync_behavior_version: z.enum(["v0", "v1"]).optional().describe("v1: marks replace the identities on whose behalf objects run."),
  include_versions: flag
    .optional()
    .describe("Adds the entry versions.json with the hash of each script, for parent_hash of scripts/create."),
  all_kinds: flag.optional().describe("Adds the kinds of triggers that only svc has."),
});
export type ArchiveQuery = z.output<typeof archiveQuery>;

export const syncRoutes = {
  archive: defineRoute({
    name: "workspaces.tarball",
    summary:
      "Download the workspace as an archive of files: what the caller may read. Equal content gives equal bytes and the same ETag. A large archive is answered with a redirect (302) to a link that is valid for five minutes.",
    method: "GET",
    fn: "sync",
    auth: "token",
    status: 200,
    path: "/api/w/{workspace}/workspaces/tarball",
    access: { domain: "workspaces", verb: "read", need: "member", target: "none" },
    reveals: "archive",
    params: inWorkspace,
    query: archiveQuery,
    reply: { bytes: "The archive." },
    errors: ["workspace.notFound", "archive.type", "archive.tooLarge"],
  }),
};
