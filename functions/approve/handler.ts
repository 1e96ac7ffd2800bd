import { apiHandler } from "../shared/edge.ts";

/** Approvals: links, the page's data, consent, what waits. */
export const handler = apiHandler<unknown>([], async () => undefined);
