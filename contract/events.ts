import * as z from "zod";

/**
 * The data of each event. It names the changed object and never contains a value, an argument or a source text. A deployment message is the
 * only text that the author of a change writes for its readers.
 */
const path = z.string();
/** The path before a rename. */
const oldPath = z.string().optional();
const deploymentMessage = z.string().optional();

const scriptSchema = z.object({
  path,
  old_path: oldPath,
  hash: z.string(),
  parent_hash: z.string().optional(),
  language: z.string(),
  kind: z.string(),
  deployment_message: deploymentMessage,
});
/** A path whose last script was renamed has versions but no newest one. */
const scriptPathSchema = scriptSchema.partial({ hash: true, language: true, kind: true });
const versionedSchema = z.object({ path, old_path: oldPath, version: z.number(), deployment_message: deploymentMessage });
const resourceSchema = z.object({ path, old_path: oldPath, resource_type: z.string() });
const variableSchema = z.object({ path, old_path: oldPath, is_secret: z.boolean() });
const namedSchema = z.object({ name: z.string() });
const tokenSchema = z.object({ token_prefix: z.string(), label: z.string().optional(), email: z.string(), expiration: z.string() });
const userSchema = z.object({ email: z.string(), workspace: z.string().optional(), username: z.string().optional() });
/** The event of a test goes to this endpoint only. */
const testSchema = z.object({ endpoint: z.string() });

const event = <Type extends string, Data extends z.ZodType>(type: Type, data: Data) =>
  z.object({
    /** UUID v7. It is the `webhook-id` of every delivery and replay. */
    id: z.uuid(),
    type: z.literal(type),
    /** The workspace, or `INSTANCE` for an event of the instance. */
    workspace: z.string(),
    /** The username of the author of the change. */
    by: z.string(),
    atMs: z.number(),
    data,
  });

/** Every event, as the outbox stores it. */
export const eventSchema = z.discriminatedUnion("type", [
  event("CreateScript", scriptSchema),
  event("UpdateScript", scriptSchema),
  event("DeleteScript", scriptSchema),
  event("DeleteScriptPath", scriptPathSchema),
  event("CreateFlow", versionedSchema),
  event("UpdateFlow", versionedSchema),
  event("ArchiveFlow", versionedSchema),
  event("DeleteFlow", versionedSchema),
  event("CreateApp", versionedSchema),
  event("UpdateApp", versionedSchema),
  event("DeleteApp", versionedSchema),
  event("CreateResource", resourceSchema),
  event("UpdateResource", resourceSchema),
  event("DeleteResource", resourceSchema),
  event("CreateResourceType", namedSchema),
  event("UpdateResourceType", namedSchema),
  event("DeleteResourceType", namedSchema),
  event("CreateVariable", variableSchema),
  event("UpdateVariable", variableSchema),
  event("DeleteVariable", variableSchema),
  event("CreateFolder", namedSchema),
  event("UpdateFolder", namedSchema),
  event("DeleteFolder", namedSchema),
  event("TokenExpiringSoon", tokenSchema),
  event("TokenExpired", tokenSchema),
  event("UserAdded", userSchema),
  event("UserSignupOauth", userSchema),
  event("UserInvitedWorkspace", userSchema),
  event("UserJoinedWorkspace", userSchema),
  event("svc.test", testSchema),
]);
export type SvcEvent = z.infer<typeof eventSchema>;
export type EventType = SvcEvent["type"];
export type EventData<Type extends EventType> = Extract<SvcEvent, { type: Type }>["data"];

/** The events of the instance. All others belong to a workspace. */
export const instanceEventTypes = [
  "UserAdded",
  "UserSignupOauth",
  "UserInvitedWorkspace",
  "UserJoinedWorkspace",
] as const satisfies EventType[];
export type InstanceEventType = (typeof instanceEventTypes)[number];
/** Sent by a test of one endpoint, never by a change. */
export const TEST_EVENT = "svc.test" as const satisfies EventType;

const notOfWorkspace: ReadonlySet<EventType> = new Set([...instanceEventTypes, TEST_EVENT]);
type WorkspaceEventType = Exclude<EventType, InstanceEventType | typeof TEST_EVENT>;
/** The event types of spec §6.1, which the endpoint of a workspace can choose. */
export const workspaceEventTypes = eventSchema.options
  .map(({ shape }) => shape.type.value)
  .filter((type): type is WorkspaceEventType => !notOfWorkspace.has(type));
