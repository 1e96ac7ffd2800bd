import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { instanceRoutes as routes } from "../../contract/routes/instance/instance.ts";
import { keys } from "../../core/objects/keys.ts";
import { type Handled, on } from "../shared/edge.ts";
import { logger } from "../shared/observe.ts";
import { json, text } from "../shared/reply.ts";

const baseUrl = requireEnv(env.baseUrl);

/** Clients of this API family read the numbers, and write newer formats from 1.585 on (api.md §0). */
const VERSION = "CE v1.700.0";

/** Health is asked by machines, often: one read, and its failure is an answer too. */
async function health(): Promise<"healthy" | "unhealthy"> {
  try {
    await objectTable.get(keys.workspace("health"), { consistent: false });
    return "healthy";
  } catch (error) {
    logger.error("unhealthy", error as Error);
    return "unhealthy";
  }
}

export const instance: Handled<unknown>[] = [
  on(routes.version, async () => text(200, VERSION)),
  on(routes.health, async () => {
    const status = await health();
    return json(status === "healthy" ? 200 : 503, { status, checked_at: new Date(Date.now()).toISOString() });
  }),
  on(routes.openapi, async () => {
    // Loaded on first use: nobody else pays for the generator.
    const { buildOpenapiDocument: openapiDocument } = await import("../../contract/openapi.ts");
    return json(200, openapiDocument(baseUrl, VERSION));
  }),
];
