import * as z from "zod";
import { anyJson, anyPath, inWorkspace, timestamp, workspaceId } from "../../common.ts";
import { kindsWith } from "../../kinds/kinds.ts";
import { defineRoute } from "../../route.ts";

const w = "/api/w/{workspace}/drafts";
const read = { method: "GET", fn: "people", auth: "token", status: 200 } as const;
/** A user may have drafts wherever they may write, for every kind of object. */
const atPlace = { domain: "scripts", target: "path", hiddenAs: "script.notFound", personal: true } as const;

const draftKind = z.enum(kindsWith("hasVersions"));
const atDraft = z.object({ workspace: workspaceId, kind: draftKind, path: anyPath });
const draftSchema = z.object({ kind: draftKind, path: z.string(), created_at: timestamp });
export type DraftKind = z.output<typeof draftKind>;
export type DraftJson = z.output<typeof draftSchema>;

/** Unsaved work of a user on a script, a flow or an app (api.md §3.9). No other user sees it. */
export const draftRoutes = {
  listDrafts: defineRoute({
    ...read,
    name: "drafts.list",
    summary: "List your drafts, without their values.",
    path: `${w}/list`,
    access: { domain: "scripts", verb: "read", need: "member", target: "none", personal: true },
    params: inWorkspace,
    reply: { json: z.array(draftSchema) },
    errors: [],
  }),
  getDraft: defineRoute({
    ...read,
    name: "drafts.getOwn",
    summary: "Get your draft of a script, a flow or an app.",
    path: `${w}/get_own/{kind}/{path+}`,
    access: { ...atPlace, verb: "read", need: "read" },
    params: atDraft,
    reply: { json: draftSchema.extend({ value: anyJson }) },
    errors: ["draft.notFound", "script.notFound"],
  }),
  updateDraft: defineRoute({
    ...read,
    method: "POST",
    name: "drafts.update",
    summary:
      "Store your draft, or delete it by leaving out the value. A draft that changed since `last_sync` is replaced only with `force`.",
    path: `${w}/update/{kind}/{path+}`,
    access: { ...atPlace, verb: "write", need: "write" },
    audits: { kind: "Updated", resource: { param: "path" } },
    params: atDraft,
    body: z.object({ value: anyJson.optional(), last_sync: timestamp.nullish(), force: z.boolean().nullish() }),
    reply: { json: z.object({ created_at: timestamp.nullable() }) },
    errors: ["draft.changedMeanwhile", "draft.tooMany", "body.tooLarge", "script.notFound"],
  }),
};
