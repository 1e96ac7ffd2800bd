import type { Body, CallInput } from "../../../../../contract/client/operation.ts";

/** A type of event that an endpoint of a workspace can choose. */
export type WorkspaceEventType = NonNullable<Body<"workspaces.editWebhook">["events"]>[number];
/** A type of event, of a workspace or of the instance. */
export type EventType = NonNullable<NonNullable<CallInput<"webhooks.listDeliveries">["query"]>["type"]>;

/** The types by what they are about. The contract has them as a schema, which would bring its parser into the page. */
export const workspaceEventGroups: readonly { group: string; items: WorkspaceEventType[] }[] = [
  { group: "Scripts", items: ["CreateScript", "UpdateScript", "DeleteScript", "DeleteScriptPath"] },
  { group: "Flows", items: ["CreateFlow", "UpdateFlow", "ArchiveFlow", "DeleteFlow"] },
  { group: "Apps", items: ["CreateApp", "UpdateApp", "DeleteApp"] },
  { group: "Resources", items: ["CreateResource", "UpdateResource", "DeleteResource"] },
  { group: "Resource types", items: ["CreateResourceType", "UpdateResourceType", "DeleteResourceType"] },
  { group: "Variables", items: ["CreateVariable", "UpdateVariable", "DeleteVariable"] },
  { group: "Folders", items: ["CreateFolder", "UpdateFolder", "DeleteFolder"] },
  { group: "Tokens", items: ["TokenExpiringSoon", "TokenExpired"] },
];

const TEST: EventType = "svc.test";
export const workspaceTypes: readonly EventType[] = [...workspaceEventGroups.flatMap(({ items }) => items), TEST];
export const instanceTypes: readonly EventType[] = ["UserAdded", "UserSignupOauth", "UserInvitedWorkspace", "UserJoinedWorkspace", TEST];
