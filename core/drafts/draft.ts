import * as z from "zod";
import { kindsWith } from "../../contract/kinds/kinds.ts";
import { defineObject, inWorkspace } from "../objects/define-object.ts";

const draftSchema = z.object({ kind: z.enum(kindsWith("hasVersions")), path: z.string(), json: z.string(), savedAtMs: z.number() });
export type Draft = z.infer<typeof draftSchema>;

/** The unsaved work of a user on a script, a flow or an app. */
export const draftObject = defineObject({
  name: "draft",
  partition: "DRAFT",
  ...inWorkspace,
  sort: (person: string, kind: string, path: string) => `${person}#${kind}${kind && "#"}${path}`,
  schema: draftSchema,
});
