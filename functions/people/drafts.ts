import { draftRoutes as routes } from "../../contract/routes/stored/drafts.ts";
import { getDraft, listDrafts, updateDraft } from "../../services/drafts/drafts.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

export const drafts: ApiRoutes = [
  on(routes.listDrafts, async ({ auth: { actor }, params: { workspace } }) => json(200, await listDrafts(deps, { actor, workspace }))),
  on(routes.getDraft, async ({ auth: { actor }, params: { workspace, kind, path } }) =>
    json(200, await getDraft(deps, { actor, workspace }, { kind, path })),
  ),
  on(routes.updateDraft, async ({ auth: { actor }, params: { workspace, kind, path }, body: { value, last_sync, force } }) => {
    const syncedAtMs = last_sync == null ? undefined : Date.parse(last_sync);
    return json(200, await updateDraft(deps, { actor, workspace }, { kind, path, value, syncedAtMs, force: force === true }));
  }),
];
