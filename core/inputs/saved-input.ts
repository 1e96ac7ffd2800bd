import * as z from "zod";
import { defineObject, inWorkspace } from "../objects/define-object.ts";

/** A script or flow, to which saved inputs belong. */
export interface InputOwner {
  kind: "script" | "flow";
  path: string;
}

const savedInputSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** The username and the e-mail address of the creator. */
  by: z.string(),
  email: z.string(),
  isPublic: z.boolean(),
  createdAtMs: z.number(),
  /** The digest of the arguments, by which a repeated request is recognised. */
  digest: z.string(),
});
export type SavedInput = z.infer<typeof savedInputSchema>;

/** A saved input of a script or flow, as its list shows it. */
export const savedInputObject = defineObject({
  name: "saved input",
  partition: "INPUT",
  within: (workspace: string, { kind, path }: InputOwner) => `${workspace}#${kind}#${path}`,
  belongsTo: "partition",
  sort: (id: string) => id,
  schema: savedInputSchema,
});

/** The arguments of a saved input, and the script or flow to which it belongs. Requests name an input by its id alone. */
export const savedInputArgsObject = defineObject({
  name: "arguments of a saved input",
  partition: "INPUTARGS",
  ...inWorkspace,
  sort: (id: string) => id,
  schema: z.object({ kind: z.enum(["script", "flow"]), path: z.string(), json: z.string() }),
});
