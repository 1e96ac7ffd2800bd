import * as z from "zod";
import { defineObject } from "../objects/define-object.ts";

/** A built artefact, by its key in the bucket, which contains the workspace. */
export const artefactObject = defineObject({
  name: "artefact",
  partition: "A",
  within: (key: string) => key,
  sort: () => "artefact",
  belongsTo: ({ pk }) => pk.split("#")[1]?.split("/")[1],
  schema: z.object({
    sha256: z.string(),
    lock: z.string(),
    /** The declarations of its packages are stored. */
    declares: z.boolean().optional(),
  }),
});
