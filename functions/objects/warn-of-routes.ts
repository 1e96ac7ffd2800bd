import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import type { Reply } from "../shared/reply.ts";
import { deps } from "./deps.ts";

/** The number of routes that a warning names. */
const MOST_NAMED = 5;

/** Returns the reply to a deployment, with a warning if routes refuse all requests since, because nothing checks them. */
export async function warnOfRoutes(reply: Reply, caller: WorkspaceCaller, deployed: { path: string; isFlow: boolean }): Promise<Reply> {
  // The deployment has succeeded, so its reply does not depend on the warning. The check is loaded on first use, so that the function starts faster.
  const check = import("../../services/triggers/unchecked-routes.ts").then(({ findUncheckedRoutes }) =>
    findUncheckedRoutes(deps, caller, deployed),
  );
  const routes = await check.catch((error: unknown) => {
    reportFailure("The routes of a deployed script or flow were not checked", error, {});
    return [];
  });
  if (routes.length === 0) return reply;
  const named = routes.slice(0, MOST_NAMED).join(", ") + (routes.length > MOST_NAMED ? ", ..." : "");
  const warning = `Without a preprocessor, these HTTP routes refuse all requests: ${named}`;
  return { ...reply, headers: { ...reply.headers, "x-svc-warning": warning } };
}
