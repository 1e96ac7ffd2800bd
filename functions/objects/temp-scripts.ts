import { actions } from "../../contract/access/actions.ts";
import { tempScriptRoutes as routes } from "../../contract/routes/stored/temp-scripts.ts";
import { createPathFilter } from "../../services/identity/permit.ts";
import { diffSources } from "../../services/scripts/diff-sources.ts";
import { storeTempSource } from "../../services/scripts/temp-sources.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, text } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

export const tempScripts: ApiRoutes = [
  on(routes.storeTempScript, async ({ params: { workspace }, body }) => text(201, await storeTempSource(deps, workspace, body))),
  on(routes.diffScripts, async ({ auth: { actor }, params: { workspace }, body }) =>
    json(200, await diffSources(deps, workspace, body, createPathFilter({ actor, workspace }, actions.readScript.access))),
  ),
];
