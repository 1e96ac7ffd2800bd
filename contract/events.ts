import * as z from "zod";
import type { KindName } from "./kinds/kinds.ts";

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

type PascalCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Capitalize<First>}${PascalCase<Rest>}`
  : Capitalize<Name>;

/** Returns the type of the event of a change of an object. */
const eventTypeOf = <Verb extends "Create" | "Update" | "Delete", Name extends KindName>(verb: Verb, kind: Name) =>
  `${verb}${kind.replace(/(?:^|_)[a-z]/g, (start) => start.slice(-1).toUpperCase())}` as `${Verb}${PascalCase<Name>}`;

/** Every event, as the outbox stores it. */
export const eventSchema = z.discriminatedUnion("type", [
  event(eventTypeOf("Create", "script"), scriptSchema),
  event(eventTypeOf("Update", "script"), scriptSchema),
  event(eventTypeOf("Delete", "script"), scriptSchema),
  event("DeleteScriptPath", scriptPathSchema),
  event(eventTypeOf("Create", "flow"), versionedSchema),
  event(eventTypeOf("Update", "flow"), versionedSchema),
  event("ArchiveFlow", versionedSchema),
  event(eventTypeOf("Delete", "flow"), versionedSchema),
  event(eventTypeOf("Create", "app"), versionedSchema),
  event(eventTypeOf("Update", "app"), versionedSchema),
  event(eventTypeOf("Delete", "app"), versionedSchema),
  event(eventTypeOf("Create", "resource"), resourceSchema),
  event(eventTypeOf("Update", "resource"), resourceSchema),
  event(eventTypeOf("Delete", "resource"), resourceSchema),
  event(eventTypeOf("Create", "resource_type"), namedSchema),
  event(eventTypeOf("Update", "resource_type"), namedSchema),
  event(eventTypeOf("Delete", "resource_type"), namedSchema),
  event(eventTypeOf("Create", "variable"), variableSchema),
  event(eventTypeOf("Update", "variable"), variableSchema),
  event(eventTypeOf("Delete", "variable"), variableSchema),
  event(eventTypeOf("Create", "folder"), namedSchema),
  event(eventTypeOf("Update", "folder"), namedSchema),
  event(eventTypeOf("Delete", "folder"), namedSchema),
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
