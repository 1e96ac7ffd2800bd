import type { WorkspaceCaller } from "../../core/people/actor.ts";
import type { Reply } from "../shared/reply/reply.ts";
import { addWarning, nameSome } from "../shared/warning.ts";
import { deps } from "./deps.ts";

/** Returns the reply to a deployment, with a warning if routes now refuse all requests, because nothing checks them. */
export const warnOfHttpRoutes = (reply: Reply, caller: WorkspaceCaller, deployed: { path: string; isFlow: boolean }): Promise<Reply> =>
  addWarning(reply, "The routes of a deployed script or flow were not checked", async () => {
    // The check is loaded on first use, so that the function starts faster.
    const { findUncheckedHttpRoutes } = await import("../../services/triggers/unchecked-http-routes.ts");
    const routes = await findUncheckedHttpRoutes(deps, caller, deployed);
    return routes.length === 0 ? undefined : `Without a preprocessor, these HTTP routes refuse all requests: ${nameSome(routes)}`;
  });
