import type { Payload } from "../../contract/payload.ts";
import { runRoutes as routes } from "../../contract/routes/jobs/runs.ts";
import type { RunCall } from "../../services/execution/requests/run-request.ts";
import { buildVersionRequest } from "../../services/execution/requests/version-request.ts";
import { findRunTarget } from "../../services/flows/definitions/find-run-target.ts";
import type { Uses } from "../../services/uses.ts";
import { on, type RouteHandler } from "../shared/edge/edge.ts";
import type { RunAuth } from "../shared/edge/run-routes.ts";
import type { Reply } from "../shared/reply/reply.ts";

interface InlineCall {
  auth: RunAuth;
  params: { workspace: string; path?: string; hash?: string };
  body: { args?: Record<string, unknown> | undefined };
  headers: Payload["headers"];
}

/** The routes that run a stored script at once, whose body has the arguments in the field `args`. */
export function inlineRoutes(deps: Uses<"jobs" | "objects">, answer: (request: RunCall) => Promise<Reply>): RouteHandler<RunAuth>[] {
  const run = async ({ auth, params: { workspace, path, hash }, body, headers }: InlineCall) => {
    const target = await findRunTarget(deps, auth, { kind: "script", workspace, path, hash, version: undefined });
    const bytes = Buffer.from(JSON.stringify(body.args ?? {}));
    const payload = { method: "POST", headers: { ...headers, "content-type": "application/json" }, query: {}, bytes };
    return answer(await buildVersionRequest(deps, target, { actor: auth.actor, query: {}, payload }, { includedHeaders: [] }));
  };
  return [on(routes.runInlineByPath, run), on(routes.runInlineByHash, run)];
}
