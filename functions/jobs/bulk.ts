import { bulkRoutes as routes } from "../../contract/routes/jobs/bulk.ts";
import { getBulk, startBulk, stopBulk } from "../../services/bulk/start-bulk.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

/** Actions on many jobs. A worker executes them. */
export const bulk: ApiRoutes = [
  on(routes.startBulk, async ({ auth: { actor }, params: { workspace }, body, rawBody }) =>
    json(201, { bulk_id: await startBulk(deps, { actor, workspace }, { ...body, args: rawBody.args }) }),
  ),
  on(routes.getBulk, async ({ auth: { actor }, params: { workspace, bulk_id: id } }) =>
    json(200, await getBulk(deps, { actor, workspace }, id)),
  ),
  on(routes.stopBulk, async ({ auth: { actor }, params: { workspace, bulk_id: id } }) =>
    json(200, await stopBulk(deps, { actor, workspace }, id)),
  ),
];
