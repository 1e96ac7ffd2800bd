import { domainApi } from "../shared/edge/domain-api.ts";
import { favorites } from "./favorites.ts";

/** What users store for their work in the console. */
export const handler = domainApi([...favorites]);
