import * as z from "zod";
import { defineObject, inWorkspace, sortByPath } from "../objects/define-object.ts";

const routeCredentialSchema = z.union([
  z.object({ type: z.string(), wrapped: z.string(), sealed: z.string() }),
  z.object({ type: z.string(), fault: z.string() }),
]);
export type RouteCredential = z.infer<typeof routeCredentialSchema>;

/** The values of a resource by which HTTP triggers authenticate requests, sealed so that only the function `routes` can read it. */
export const routeCredentialObject = defineObject({
  name: "credential of routes",
  partition: "ROUTECRED",
  ...inWorkspace,
  sort: sortByPath,
  schema: routeCredentialSchema,
});

/** The resources with such a copy that refer to a variable. */
export const routeVariableObject = defineObject({
  name: "variable in credentials of routes",
  partition: "ROUTEVAR",
  ...inWorkspace,
  sort: sortByPath,
  schema: z.object({ resources: z.array(z.string()) }),
});

/** The wrapped data key of these copies. */
export const routeKeyObject = defineObject({
  name: "key of credentials of routes",
  partition: "ROUTEKEY",
  ...inWorkspace,
  sort: () => "key",
  schema: z.object({ wrapped: z.string() }),
});
