import * as z from "zod";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { defineObject, inWorkspace } from "../objects/define-object.ts";

/** The last refused requests of a route, the newest first. */
export const httpRouteFailuresSchema = z.object({ failures: z.array(z.object({ atMs: z.number(), reason: z.string() })) });
export type HttpRouteFailures = z.infer<typeof httpRouteFailuresSchema>;

/** Returns the refused requests in the form of `http_triggers/get`. */
export const toFailuresJson = ({ failures }: HttpRouteFailures) => failures.map(({ atMs, reason }) => ({ at: toIsoTime(atMs), reason }));

/** The number of refused requests that a route shows. */
export const MOST_FAILURES = 20;

/** The last refused requests of an HTTP trigger, by the trigger's id. */
export const httpRouteFailuresObject = defineObject({
  name: "refused requests of a route",
  partition: "ROUTEFAIL",
  ...inWorkspace,
  sort: (id: string) => id,
  schema: httpRouteFailuresSchema,
});
