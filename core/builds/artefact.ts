import * as z from "zod";
import { defineObject, inWorkspaceBy } from "../objects/define-object.ts";

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

/** The artefact of the last build of a source whose packages ship declarations, by the hash of its text. The editor knows the text and no build. */
export const typedSourceObject = defineObject({
  name: "types of a source",
  partition: "TYPEDSOURCE",
  ...inWorkspaceBy<string>(),
  sort: () => "artefact",
  schema: z.object({
    key: z.string(),
    /** The other scripts whose packages the declarations describe. */
    imports: z.array(z.string()).optional(),
  }),
});
