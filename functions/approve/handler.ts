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
    if (route.auth !== "token") {
      // The page's query names its link's token: that says nothing about who opens it.
      const isLink = token !== undefined && parseApprovalToken(token) !== undefined;
      return { actor: await optionalActor(isLink ? undefined : token, workspace ?? "") };
    }
    if (run !== undefined) {
      const job = /^[0-9a-f-]{36}$/.test(run) ? await c.jobs.get(run) : undefined;
      const actor = await actorIn(token, job?.workspace);
      // Only the token's limits count here. The right to see the run or to decide depends on its gates, which the handler reads.
      const access = { ...route.access, need: "self" } as const;
      if (!may(actor, access, job ? { workspace: job.workspace } : {})) throw new SvcError("auth.forbidden", { action: route.name });
      return { actor, run: job };
    }
    const actor = await actorIn(token, workspace);
    guard(actor, route, params);
    return { actor };
  },
);
