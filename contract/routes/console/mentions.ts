import * as z from "zod";
import { anyPath, workspaceId } from "../../common.ts";
import { defineRoute } from "../../route.ts";
import { triggerKindSchema } from "../triggers/trigger-kind.ts";
import { INCOMPLETE_HEADER } from "./search.ts";

export const mentionedKindSchema = z.enum(["script", "flow", "resource", "variable"]);
export type MentionedKind = z.output<typeof mentionedKindSchema>;

const mentionSchema = z.object({
  kind: z.enum(["script", "flow", "resource", "schedule", "trigger", "setting"]),
  trigger_kind: triggerKindSchema.optional(),
  path: z.string().describe("The path of the object, or the name of the setting."),
  where: z.string().describe("The field, such as `script_path` or `args.db`, or the step of a flow, such as `step b: code`."),
});
export type MentionJson = z.input<typeof mentionSchema>;

export const mentionRoutes = {
  listMentions: defineRoute({
    method: "GET",
    fn: "console",
    auth: "token",
    status: 200,
    name: "objects.usedBy",
    summary:
      "List the objects that use a script, a flow, a resource or a variable, as far as you may read them: steps, inputs and sources of flows and scripts, " +
      `schedules, triggers, resources, and settings for administrators. The header \`${INCOMPLETE_HEADER}\` says that more may use it.`,
    path: "/api/w/{workspace}/objects/used_by/{kind}/{path+}",
    // The handler also checks the scopes of the token for the kind, and leaves out the objects that the caller may not read.
    access: { domain: "scripts", verb: "read", need: "read", target: "object", hiddenAs: "object.notFound" },
    params: z.object({ workspace: workspaceId, kind: mentionedKindSchema, path: anyPath }),
    reply: { json: z.array(mentionSchema) },
    errors: ["object.notFound"],
  }),
};
