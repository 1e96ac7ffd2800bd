import { apiHandler } from "../shared/edge.ts";
import { instanceRoutes } from "./instance.ts";
import { referenceRoutes } from "./reference.ts";

/** The instance's health, version and API document, the page `/docs`, and every address that no other function claims. No route needs a token. */
export const handler = apiHandler([...instanceRoutes, ...referenceRoutes], async () => undefined);
