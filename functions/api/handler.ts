import { apiHandler } from "../shared/edge/edge.ts";
import { cliRoutes } from "./cli.ts";
import { instanceRoutes } from "./instance.ts";
import { referenceRoutes } from "./reference.ts";

/** The instance's health, version and API document, the page `/docs` and the package of the command line. No route needs a token. */
export const handler = apiHandler([...instanceRoutes, ...referenceRoutes, ...cliRoutes], async () => undefined);
