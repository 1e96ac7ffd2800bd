import { instanceRoutes } from "../../contract/routes/instance/instance.ts";
import { workerRoutes } from "../../contract/routes/jobs/workers.ts";
import { missingTriggerRoutes } from "../../contract/routes/triggers/missing-kinds.ts";
import { synchronisationRoutes } from "../../contract/routes/workspaces/synchronisation.ts";
import { API_VERSION } from "../../contract/version.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, text } from "../shared/reply/reply.ts";

/** The version and the time of the service, and the lists of worker processes, of kinds of triggers and of shared files that svc does not have. Other clients read every list. */
export const emptyLists: ApiRoutes = [
  on(workerRoutes.listWorkers, async () => json(200, [])),
  on(instanceRoutes.version, async () => text(200, API_VERSION)),
  on(workerRoutes.dbClock, async () => json(200, Date.now())),
  on(synchronisationRoutes.getSharedUi, async () => json(200, { files: {} })),
  ...missingTriggerRoutes.map((route) => on(route, async () => json(200, []))),
];
