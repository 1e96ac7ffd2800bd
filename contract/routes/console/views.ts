import * as z from "zod";
import { inWorkspace, workspaceId } from "../../common.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";

const w = "/api/w/{workspace}/views";
const route = { fn: "console", auth: "token", status: 200 } as const;
/** Every member has views. The handler checks who may change a shared one. */
const ofMember = { domain: "jobs", need: "member", target: "none", personal: true } as const;

const viewId = z.uuid().toLowerCase();
const atView = z.object({ workspace: workspaceId, id: viewId });
/** The table's client cannot store every name of a field. */
const filterName = z.string().regex(/^(?!constructor$)[a-z][a-z0-9_]{0,49}$/, "lower-case letters, digits and '_', at most 50");
const querySchema = z
  .record(filterName, z.string().max(1000))
  .refine((query) => Object.keys(query).length <= limits.viewFilters, `must have at most ${limits.viewFilters} filters`);
const viewBody = z.object({ name: z.string().trim().min(1).max(100), shared: z.boolean(), query: querySchema });
export type ViewFields = z.output<typeof viewBody>;
const viewSchema = viewBody.extend({ id: viewId, created_by: z.string() });
export type ViewJson = z.input<typeof viewSchema>;

/** Saved filters of runs (api.md §8): those of a user, which no other user sees, and those that a workspace shares. */
export const viewRoutes = {
  listViews: defineRoute({
    ...route,
    method: "GET",
    name: "views.list",
    summary: "List your saved filters of runs, and the shared ones of the workspace, by name.",
    path: `${w}/list`,
    access: { ...ofMember, verb: "read" },
    params: inWorkspace,
    reply: { json: z.array(viewSchema) },
    errors: [],
  }),
  createView: defineRoute({
    ...route,
    method: "POST",
    name: "views.create",
    summary: "Save a filter of runs, for yourself or for every member of the workspace. Operators cannot share one.",
    path: `${w}/create`,
    access: { ...ofMember, verb: "write" },
    audits: { kind: "Created", resource: { reply: "text" } },
    params: inWorkspace,
    body: viewBody,
    status: 201,
    reply: { text: "The id." },
    errors: ["view.tooMany"],
  }),
  updateView: defineRoute({
    ...route,
    method: "POST",
    name: "views.update",
    summary: "Change a saved filter of runs. Omitted fields remain. Only its creator and admins change a shared one.",
    path: `${w}/update/{id}`,
    access: { ...ofMember, verb: "write" },
    audits: { kind: "Updated", resource: { param: "id" } },
    params: atView,
    body: viewBody.partial(),
    reply: { text: "A confirmation." },
    errors: ["view.notFound", "view.changedMeanwhile", "view.tooMany"],
  }),
  deleteView: defineRoute({
    ...route,
    method: "POST",
    name: "views.delete",
    summary: "Delete a saved filter of runs. Only its creator and admins delete a shared one.",
    path: `${w}/delete/{id}`,
    access: { ...ofMember, verb: "write" },
    audits: { kind: "Delete", resource: { param: "id" } },
    params: atView,
    reply: { text: "A confirmation." },
    errors: ["view.notFound", "view.changedMeanwhile"],
  }),
};
