import * as z from "zod";
import { defineObject, inWorkspace, sortByPath } from "../objects/define-object.ts";

const sealedCopySchema = z.union([
  z.object({
    type: z.string(),
    wrapped: z.string(),
    sealed: z.string(),
    /** An administrator saved the value, and since then only administrators changed the resource and its variables. */
    trusted: z.boolean().optional(),
  }),
  z.object({ type: z.string(), fault: z.string() }),
]);
export type SealedCopy = z.infer<typeof sealedCopySchema>;

const keySchema = z.object({ wrapped: z.string() });

/** The values of a resource by which HTTP triggers authenticate requests, sealed so that only the function `routes` can read it. */
export const routeCredentialObject = defineObject({
  name: "credential of routes",
  partition: "ROUTECRED",
  ...inWorkspace,
  sort: sortByPath,
  schema: sealedCopySchema,
});

/** The wrapped data key of these copies. */
export const routeKeyObject = defineObject({
  name: "key of credentials of routes",
  partition: "ROUTEKEY",
  ...inWorkspace,
  sort: () => "key",
  schema: keySchema,
});

/** The values of a resource of a chat application, sealed so that only the functions `chat` and `deliver` can read it. */
export const chatCredentialObject = defineObject({
  name: "credential of a chat",
  partition: "CHATCRED",
  ...inWorkspace,
  sort: sortByPath,
  schema: sealedCopySchema,
});

/** The wrapped data key of these copies. */
export const chatKeyObject = defineObject({
  name: "key of credentials of chats",
  partition: "CHATKEY",
  ...inWorkspace,
  sort: () => "key",
  schema: keySchema,
});

/** The resources with a sealed copy that refer to a variable. */
export const copyVariableObject = defineObject({
  name: "variable in sealed copies",
  partition: "ROUTEVAR",
  ...inWorkspace,
  sort: sortByPath,
  schema: z.object({ resources: z.array(z.string()) }),
});
