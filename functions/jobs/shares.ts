import { shareRoutes as routes } from "../../contract/routes/jobs/shares.ts";
import { loadSharedRun } from "../../services/shares/shared-run.ts";
import { listShares, revokeShare, shareJob } from "../../services/shares/shares.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, text } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

/** No search engine shows the run. Every reply is `no-store` and `no-referrer`. */
const NOT_INDEXED = { "x-robots-tag": "noindex" };

/** Links that show a run. */
export const shares: ApiRoutes = [
  on(routes.shareJob, async ({ auth: { actor }, params: { workspace, id }, body: { expires_in_s: expiresInS, with_args: withArgs } }) =>
    json(200, await shareJob(deps, { actor, action: routes.shareJob }, { workspace, id }, { expiresInS, withArgs })),
  ),
  on(routes.listShares, async ({ auth: { actor }, params: { workspace, id } }) =>
    json(200, await listShares(deps, { actor, action: routes.listShares }, { workspace, id })),
  ),
  on(routes.revokeShare, async ({ auth: { actor }, params: { workspace, id, share } }) => {
    await revokeShare(deps, { actor, action: routes.revokeShare }, { workspace, id }, share);
    return text(200, `The link ${share} was revoked.`);
  }),
  on(routes.getSharedJob, async ({ params: { token } }) => json(200, await loadSharedRun(deps, token), NOT_INDEXED)),
];
