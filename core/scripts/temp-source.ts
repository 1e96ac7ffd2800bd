import * as z from "zod";
import { defineObject, inWorkspaceBy, sortableNumber } from "../objects/define-object.ts";

/** A part of the source of an unsaved script, by its hash. The first part names the number of parts. */
export const tempSourceObject = defineObject({
  name: "part of an unsaved source",
  partition: "TEMPSOURCE",
  ...inWorkspaceBy<string>(),
  sort: (part: number) => sortableNumber(part, 3),
  schema: z.object({ base64: z.string(), parts: z.number().optional() }),
});
