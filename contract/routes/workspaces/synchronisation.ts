import * as z from "zod";
import { inWorkspace } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const read = {
  method: "GET",
  fn: "people",
  auth: "token",
  status: 200,
  params: inWorkspace,
  access: { domain: "workspaces", verb: "read", need: "member", target: "none" },
  errors: [],
} as const;

/** Reads of a synchronisation between a workspace and a folder of files (api.md §6.5). */
export const synchronisationRoutes = {
  listWorkspaceSpecific: defineRoute({
    ...read,
    name: "workspaces.listWorkspaceSpecific",
    summary: "List the variables and resources that are marked with ws_specific.",
    path: "/api/w/{workspace}/workspaces/list_ws_specific",
    reply: { json: z.array(z.object({ item_kind: z.enum(["variable", "resource"]), path: z.string() })) },
  }),
  getSharedUi: defineRoute({
    ...read,
    name: "workspaces.getSharedUi",
    summary: "Get the files that apps share: none, because this service stores no such files.",
    path: "/api/w/{workspace}/shared_ui/get",
    reply: { json: z.object({ files: z.record(z.string(), z.never()) }) },
  }),
};
