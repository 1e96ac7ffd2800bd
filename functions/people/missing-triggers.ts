import { missingTriggerRoutes } from "../../contract/routes/triggers/triggers.ts";
import type { ApiRoutes } from "../shared/domain-api.ts";
import { on } from "../shared/edge.ts";
import { json } from "../shared/reply.ts";

/** The lists of the kinds of triggers that svc does not implement. Other clients read every list. */
export const missingTriggers: ApiRoutes = missingTriggerRoutes.map((route) => on(route, async () => json(200, [])));
