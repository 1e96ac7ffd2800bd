import * as z from "zod";
import { inWorkspace, timestamp, workspaceId } from "../../common.ts";
import { dependencyLanguage } from "../../dependency-language.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";

const w = "/api/w/{workspace}/workspace_dependencies";
const read = { method: "GET", fn: "people", auth: "token", status: 200 } as const;
const post = { ...read, method: "POST" } as const;
const memberRead = { domain: "workspaces", verb: "read", need: "member", target: "none" } as const;
const adminWrite = { domain: "workspaces", verb: "write", need: "admin", target: "none" } as const;

const listName = z.string().regex(/^[A-Za-z0-9_-]{1,100}$/, "letters, digits, '-' and '_' only");
const atList = z.object({ workspace: workspaceId, language: dependencyLanguage });
const named = z.object({ name: listName.optional() });

const newDependenciesSchema = z.object({
  workspace_id: z.string().optional(),
  language: dependencyLanguage,
  content: z
    .string()
    .max(limits.dependencyListBytes)
    .refine((text) => new TextEncoder().encode(text).length <= limits.dependencyListBytes, `at most ${limits.dependencyListBytes} bytes`),
  name: listName.nullish(),
  description: z.string().max(1000).nullish(),
});
export type NewDependencies = z.output<typeof newDependenciesSchema>;
const dependenciesSchema = z.object({
  id: z.int(),
  archived: z.boolean(),
  name: z.string().optional(),
  description: z.string().optional(),
  content: z.string(),
  language: dependencyLanguage,
  workspace_id: z.string(),
  created_at: timestamp,
});
export type DependenciesJson = z.output<typeof dependenciesSchema>;

/** Lists of package versions for the scripts of a workspace. */
export const workspaceDependencyRoutes = {
  listDependencies: defineRoute({
    ...read,
    name: "dependencies.list",
    summary: "List the workspace's lists of package versions, and behind them their archived contents as far as the reply has room.",
    path: `${w}/list`,
    access: memberRead,
    params: inWorkspace,
    reply: { json: z.array(dependenciesSchema) },
    errors: [],
  }),
  getLatestDependencies: defineRoute({
    ...read,
    name: "dependencies.getLatest",
    summary: "Get a list of package versions: the default of its language, or the one with a name.",
    path: `${w}/get_latest/{language}`,
    access: memberRead,
    params: atList,
    query: named,
    reply: { json: dependenciesSchema },
    errors: ["dependencies.notFound"],
  }),
  createDependencies: defineRoute({
    ...post,
    name: "dependencies.create",
    summary:
      "Store a list of package versions, in place of the one with the same name, which is archived. Scripts use it when they are saved next.",
    path: `${w}/create`,
    access: adminWrite,
    audits: { kind: "Created", resource: { reply: "named", before: { body: "name" } } },
    params: inWorkspace,
    body: newDependenciesSchema,
    status: 201,
    reply: { text: "The id of the list." },
    errors: [
      "dependencies.content",
      "dependencies.tooMany",
      "dependencies.tooLarge",
      "dependencies.changedMeanwhile",
      "workspace.notFound",
    ],
  }),
  archiveDependencies: defineRoute({
    ...post,
    name: "dependencies.archive",
    summary: "Archive a list of package versions. Builds no longer use it.",
    path: `${w}/archive/{language}`,
    access: adminWrite,
    audits: { kind: "Delete", resource: { reply: "named", before: { query: "name" } } },
    params: atList,
    query: named,
    reply: { text: "A confirmation." },
    errors: ["dependencies.notFound", "dependencies.changedMeanwhile"],
  }),
  deleteDependencies: defineRoute({
    ...post,
    name: "dependencies.delete",
    summary: "Delete a list of package versions with its archived contents.",
    path: `${w}/delete/{language}`,
    access: adminWrite,
    audits: { kind: "Delete", resource: { reply: "named", before: { query: "name" } } },
    params: atList,
    query: named,
    reply: { text: "A confirmation." },
    errors: ["dependencies.notFound", "dependencies.changedMeanwhile"],
  }),
};
