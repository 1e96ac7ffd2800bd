import * as z from "zod";
import { workspaceId } from "../common.ts";
import { scriptLanguageSchema } from "../languages.ts";

/** The properties of the custom resource with which a CDK app deploys files into a workspace. CloudFormation sends each of them as a text. */
export const deploymentSchema = z.object({
  workspace: workspaceId,
  /** The zip file with the files. */
  bucket: z.string(),
  objectKey: z.string(),
  /** Identifies the files in the app, whatever they contain. */
  id: z.string().regex(/^[\w-]+$/),
  /** Whether the items are deleted when the app no longer deploys them. */
  removes: z.enum(["true", "false"]),
});
export type Deployment = z.output<typeof deploymentSchema>;

/** The file in the zip file with items that the app's code describes, in place of files. */
export const ITEMS_FILE = "items.json";
const itemSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("script"),
    path: z.string(),
    language: scriptLanguageSchema,
    content: z.string(),
    value: z.record(z.string(), z.unknown()),
  }),
  /** `text`: YAML or JSON. */
  z.strictObject({ kind: z.literal("flow"), path: z.string(), text: z.string() }),
]);
export const deployedItemsSchema = z.array(itemSchema);
export type DeployedItem = z.output<typeof itemSchema>;
