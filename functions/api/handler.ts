import { apiHandler } from "../shared/edge/edge.ts";
import { instanceRoutes } from "./instance.ts";
import { referenceRoutes } from "./reference.ts";

/** The instance's health, version and API document and the page `/docs`. No route needs a token. */
export const handler = apiHandler([...instanceRoutes, ...referenceRoutes], async () => undefined);
