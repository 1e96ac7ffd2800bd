import * as z from "zod";

/** The event types of spec §6.1, which the outbox contains. */
const eventTypes = [
  "CreateScript",
  "UpdateScript",
  "DeleteScript",
  "DeleteScriptPath",
  "CreateFlow",
  "UpdateFlow",
  "ArchiveFlow",
  "DeleteFlow",
  "CreateApp",
  "UpdateApp",
  "DeleteApp",
  "CreateResource",
  "UpdateResource",
  "DeleteResource",
  "CreateResourceType",
  "UpdateResourceType",
  "DeleteResourceType",
  "CreateVariable",
  "UpdateVariable",
  "DeleteVariable",
  "CreateFolder",
  "UpdateFolder",
  "DeleteFolder",
  "TokenExpiringSoon",
  "TokenExpired",
] as const;
export const workspaceEventSchema = z.object({
  id: z.uuid(),
  type: z.enum(eventTypes),
  workspace: z.string(),
  /** The object's path, name or hash. */
  object: z.string(),
  by: z.string(),
  atMs: z.number(),
});
export type WorkspaceEvent = z.infer<typeof workspaceEventSchema>;
