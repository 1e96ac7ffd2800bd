import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { instanceRoutes as routes } from "../../contract/routes/instance/instance.ts";
import { API_VERSION } from "../../contract/version.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { on, type RouteHandler } from "../shared/edge/edge.ts";
import { logger } from "../shared/observe.ts";
import { json, jsonText } from "../shared/reply/reply.ts";

const baseUrl = requireEnv(env.baseUrl);

/** The OpenAPI document, once it was requested. */
let document: string | undefined;

/** Machines request the health often, so it is a single read. */
async function checkHealth(): Promise<"healthy" | "unhealthy"> {
  try {
    await objectTable.get(workspaceObject.key("health"), { consistent: false });
    return "healthy";
  } catch (error) {
    logger.error("unhealthy", error as Error);
    return "unhealthy";
  }
}

export const instanceRoutes: RouteHandler<unknown>[] = [
  on(routes.health, async () => {
    const status = await checkHealth();
    return json(status === "healthy" ? 200 : 503, { status, checked_at: new Date(Date.now()).toISOString() });
  }),
  on(routes.healthInDetail, async () => {
    const startedMs = performance.now();
    const status = await checkHealth();
    const database = { healthy: status === "healthy", latency_ms: Math.round(performance.now() - startedMs) };
    const checked_at = new Date(Date.now()).toISOString();
    return json(database.healthy ? 200 : 503, { status, checked_at, version: API_VERSION, checks: { database } });
  }),
  on(routes.openapi, async () => {
    // Loaded on first use, because only this route needs the generator.
    const { buildOpenapiDocument } = await import("../../contract/routes/openapi.ts");
    // The document is the same for all callers, and takes much longer to build than to send.
    document ??= JSON.stringify(buildOpenapiDocument(baseUrl));
    return jsonText(200, document);
  }),
];
