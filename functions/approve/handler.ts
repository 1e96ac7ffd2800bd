import { SvcError } from "../../contract/errors.ts";
import { parseApprovalToken } from "../../core/approvals/link.ts";
import { may } from "../../core/permissions/may.ts";
import { apiHandler } from "../shared/edge.ts";
import { guard } from "../shared/guard.ts";
import { type Auth, actorIn, collaborators as c, optionalActor } from "./collaborators.ts";
import { links } from "./links.ts";
import { notify } from "./notify.ts";
import { page } from "./page.ts";
import { records } from "./records.ts";
import { runs } from "./runs.ts";
import { webhookSecretHandlers } from "./webhook-secret.ts";

/** Approvals: links, the page's data, consent, what waits. */
export const handler = apiHandler<Auth>(
  [...links, ...page, ...runs, ...records, ...notify, ...webhookSecretHandlers],
  async (token, route, params) => {
    const { workspace, run_id: run } = params;
    // A link's holder may have signed in as well.
    if (route.auth === "none") {
      // The page's query names its link's token: that says nothing about who opens it.
      const isLink = token !== undefined && parseApprovalToken(token) !== undefined;
      return { actor: await optionalActor(isLink ? undefined : token, workspace ?? "") };
    }
    if (run !== undefined) {
      const job = /^[0-9a-f-]{36}$/.test(run) ? await c.jobs.get(run) : undefined;
      // Who may see and who may decide is asked once the gates are read.
      const actor = await actorIn(token, job?.workspace);
      const action = route.method === "GET" ? "approvals.getRun" : "approvals.decide";
      if (!may(actor, action, job ? { workspace: job.workspace } : {})) throw new SvcError("auth.forbidden", { action: route.name });
      return { actor, run: job };
    }
    const actor = await actorIn(token, workspace);
    guard(actor, route, params);
    return { actor };
  },
);
