import type { TokenRoute } from "../../contract/route.ts";
import { inputRoutes as routes } from "../../contract/routes/jobs/inputs.ts";
import { getEarlierArgs, listEarlierInputs } from "../../services/inputs/earlier-inputs.ts";
import { createInput, deleteInput, getInputArgs, listInputs, updateInput } from "../../services/inputs/saved-inputs.ts";
import type { ApiRoutes, Auth } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, text } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";
import { pageReply } from "./page-reply.ts";

const callerOf = ({ actor }: Auth, { workspace }: { workspace: string }, action: TokenRoute) => ({ actor, workspace, action });

/** Saved inputs, and the arguments of earlier runs. */
export const inputs: ApiRoutes = [
  on(routes.inputHistory, async ({ auth, params, query }) =>
    pageReply(await listEarlierInputs(deps, callerOf(auth, params, routes.inputHistory), query)),
  ),
  on(routes.listInputs, async ({ auth, params, query }) =>
    json(200, await listInputs(deps, callerOf(auth, params, routes.listInputs), query)),
  ),
  on(routes.createInput, async ({ auth, params, query, body: { name }, rawBody: { args } }) =>
    text(201, await createInput(deps, callerOf(auth, params, routes.createInput), query, { name, args })),
  ),
  on(routes.updateInput, async ({ auth, params, body: { id, name, is_public: isPublic } }) => {
    await updateInput(deps, callerOf(auth, params, routes.updateInput), { id, name, isPublic });
    return text(200, id);
  }),
  on(routes.deleteInput, async ({ auth, params }) => {
    await deleteInput(deps, callerOf(auth, params, routes.deleteInput), params.id);
    return text(200, `The saved input ${params.id} was deleted.`);
  }),
  on(routes.getInputArgs, async ({ auth, params, query: { input } }) =>
    json(200, await (input ? getInputArgs : getEarlierArgs)(deps, callerOf(auth, params, routes.getInputArgs), params.id)),
  ),
];
