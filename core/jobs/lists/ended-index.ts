import * as z from "zod";
import { defineObject } from "../../objects/define-object.ts";

/** The time since which the index of unsuccessful jobs is complete. */
export const endedIndexObject = defineObject({
  name: "start of the index of ended jobs",
  partition: "MIGRATIONS",
  sort: () => "ended-index",
  belongsTo: "none",
  schema: z.object({ sinceMs: z.number() }),
});
