import * as z from "zod";
import { inWorkspace } from "../../common.ts";
import { defineRoute } from "../../route.ts";
import { type MissingTriggerKind, missingTriggerKinds } from "./trigger-kind.ts";
import { triggerListQuery } from "./trigger-list.ts";

const listMissing = (kind: MissingTriggerKind) =>
  defineRoute({
    method: "GET",
    auth: "token",
    status: 200,
    // The function that answers workspace addresses that no other function claims: another function would need resources in API Gateway.
    fn: "people",
    name: `${kind}_triggers.list`,
    summary: `List the ${kind} triggers of the workspace. There are none, because this service does not support them.`,
    path: `/api/w/{workspace}/${kind}_triggers/list`,
    access: { domain: "workspaces", verb: "read", need: "member", target: "none" },
    params: inWorkspace,
    query: triggerListQuery,
    reply: { json: z.array(z.never()) },
    errors: [],
  });

/** The lists of the kinds that svc does not implement. */
export const missingTriggerRoutes = missingTriggerKinds.map(listMissing);
