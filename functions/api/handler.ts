import { apiHandler } from "../shared/edge.ts";
import { instance } from "./instance.ts";
import { reference } from "./reference.ts";

/** The instance's health, version and API document, the page `/docs`, and every address that no other function claims. No route needs a token. */
export const handler = apiHandler([...instance, ...reference], async () => undefined);
