import * as z from "zod";
import { defineObject, inWorkspace } from "../objects/define-object.ts";

const viewSchema = z.object({
  id: z.string(),
  name: z.string(),
  shared: z.boolean(),
  query: z.record(z.string(), z.string()),
  /** The creator: the key of the person, and the username in the workspace, which members see. */
  person: z.string(),
  createdBy: z.string(),
});
export type View = z.infer<typeof viewSchema>;

/** The place of shared views in the sort keys. No key of a person has this length. */
const SHARED = "shared";

/** A saved filter of runs. Those of a user and the shared ones are separate lists. */
export const viewObject = defineObject({
  name: "saved filter of runs",
  partition: "VIEWS",
  ...inWorkspace,
  sort: (owner: string, id: string) => `${owner}#${id}`,
  schema: viewSchema,
});

/** Returns the owner of a view in its key. */
export const ownerOfView = ({ shared, person }: Pick<View, "shared" | "person">): string => (shared ? SHARED : person);

/** Returns the keys that a view may have for a person: that of the person's own view, and that of a shared one. */
export const keysOfView = (workspace: string, person: string, id: string) => [
  viewObject.key(workspace, person, id),
  viewObject.key(workspace, SHARED, id),
];

/** Returns the beginning of the sort keys of a person's own views. */
export const ownViewsOf = (person: string): string => `${person}#`;

/** The beginning of the sort keys of shared views. */
export const SHARED_VIEWS = `${SHARED}#`;
