import { randomUUID } from "node:crypto";
import { SvcError } from "../../contract/errors.ts";
import { TEST_EVENT } from "../../contract/events.ts";
import { limits } from "../../contract/limits.ts";
import type { NewWebhook, WebhookChange, WorkspaceWebhookChange } from "../../contract/routes/events/webhooks.ts";
import { changeEndpoint, type Endpoint, endpointGuardObject, endpointObject, WORKSPACE_ENDPOINT } from "../../core/events/endpoint.ts";
import { unchangedSince, write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { commitParts, retryOnConflict } from "../outbox/commit-parts.ts";
import { buildEventWrite } from "../outbox/event.ts";
import type { Uses } from "../uses.ts";

const notFound = (id: string) => new SvcError("webhook.notFound", { id });
const changed = (id: string) => new SvcError("webhook.changedMeanwhile", { id });

/** Lists the endpoints of a workspace, the oldest first. */
export async function listEndpoints({ objects }: Uses<"objects">, workspace: string): Promise<Endpoint[]> {
  const endpoints = endpointObject.parseReadable(await objects.list(endpointObject.partitionKey(workspace)));
  return endpoints.sort((a, b) => a.createdAtMs - b.createdAtMs);
}

/**
 * Adds an endpoint and returns it. Each creation replaces the guard, which was read before the endpoints were counted, so concurrent creations
 * cannot exceed the limit. Throws `webhook.exists`, `webhook.tooMany`, `webhook.changedMeanwhile`, `workspace.notFound`.
 */
export async function createEndpoint(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  { actor, workspace }: WorkspaceCaller,
  { id = randomUUID(), url, enabled, ...request }: NewWebhook,
): Promise<Endpoint> {
  const key = endpointObject.key(workspace, id);
  const guardKey = endpointGuardObject.key(workspace);
  const [by, atMs] = [actor.username, nowMs()];
  const base = { id, url, enabled, createdBy: by, createdAtMs: atMs, editedBy: by, editedAtMs: atMs };
  const endpoint = changeEndpoint(base, request, { by, atMs });
  return retryOnConflict(
    async () => {
      const guard = await objects.get(guardKey);
      const stored = await objects.list(key.pk);
      if (stored.some(({ sk }) => sk === id)) throw new SvcError("webhook.exists", { id });
      if (stored.filter(({ sk }) => sk !== WORKSPACE_ENDPOINT).length >= limits.webhookEndpoints)
        throw new SvcError("webhook.tooMany", { limit: limits.webhookEndpoints });
      const isStored = await commitParts(objects, [
        { write: write.check(workspaceObject.key(workspace), "present"), refused: new SvcError("workspace.notFound", { workspace }) },
        { write: write.put({ ...guardKey, version: randomUUID() }, guard ? unchangedSince(guard) : "absent"), refused: undefined },
        { write: write.put({ ...key, value: endpoint, version: randomUUID() }, "absent"), refused: undefined },
      ]);
      return isStored ? { done: endpoint } : undefined;
    },
    () => changed(id),
  );
}

/** Changes the given fields of an endpoint and returns it. Throws `webhook.notFound`, `webhook.changedMeanwhile`. */
export async function updateEndpoint(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  { actor, workspace }: WorkspaceCaller,
  id: string,
  change: WebhookChange,
): Promise<Endpoint> {
  const key = endpointObject.key(workspace, id);
  return retryOnConflict(
    async () => {
      const found = await objects.get(key);
      if (!found) throw notFound(id);
      const endpoint = changeEndpoint(endpointObject.parse(found), change, { by: actor.username, atMs: nowMs() });
      const isStored = await objects.put({ ...key, value: endpoint, version: randomUUID() }, unchangedSince(found));
      return isStored ? { done: endpoint } : undefined;
    },
    () => changed(id),
  );
}

/** Removes an endpoint. Throws `webhook.notFound`. */
export async function deleteEndpoint({ objects }: Uses<"objects">, workspace: string, id: string): Promise<void> {
  await commitParts(objects, [{ write: write.remove(endpointObject.key(workspace, id), "present"), refused: notFound(id) }]);
}

/**
 * Sets the workspace's own webhook, or removes it, and returns the stored one. Without `webhook` it is removed, as the command line expects; with
 * `events` alone only the types change. A URL enables the endpoint. Throws `webhook.notFound`, `webhook.changedMeanwhile`,
 * `workspace.notFound`.
 */
export async function setWorkspaceWebhook(
  deps: Uses<"objects" | "nowMs">,
  caller: WorkspaceCaller,
  { webhook, events }: WorkspaceWebhookChange,
): Promise<Endpoint | undefined> {
  const { objects, nowMs } = deps;
  const { actor, workspace } = caller;
  const choice = events === undefined ? {} : { events };
  if (webhook === undefined && events !== undefined) return updateEndpoint(deps, caller, WORKSPACE_ENDPOINT, choice);
  const key = endpointObject.key(workspace, WORKSPACE_ENDPOINT);
  if (!webhook) {
    await objects.deleteItem(key);
    return undefined;
  }
  const [by, atMs] = [actor.username, nowMs()];
  return retryOnConflict(
    async () => {
      const found = await objects.get(key);
      const base = {
        id: WORKSPACE_ENDPOINT,
        url: webhook,
        enabled: true,
        createdBy: by,
        createdAtMs: atMs,
        editedBy: by,
        editedAtMs: atMs,
      };
      const before = found ? endpointObject.parse(found) : base;
      const endpoint = changeEndpoint(before, { url: webhook, enabled: true, ...choice }, { by, atMs });
      const isStored = await commitParts(objects, [
        { write: write.check(workspaceObject.key(workspace), "present"), refused: new SvcError("workspace.notFound", { workspace }) },
        {
          write: write.put({ ...key, value: endpoint, version: randomUUID() }, found ? unchangedSince(found) : "absent"),
          refused: undefined,
        },
      ]);
      return isStored ? { done: endpoint } : undefined;
    },
    () => changed(WORKSPACE_ENDPOINT),
  );
}

/** Returns the fields of the workspace's own webhook in the settings of the workspace: none without a webhook. */
export async function getWebhookSettings(
  { objects }: Uses<"objects">,
  workspace: string,
): Promise<{ webhook?: string; events?: string[] | null }> {
  const found = await objects.get(endpointObject.key(workspace, WORKSPACE_ENDPOINT));
  if (!found) return {};
  const { url, events = null } = endpointObject.parse(found);
  return { webhook: url, events };
}

/** Sends a test to one endpoint, also to a disabled one, and returns the id of its event. Throws `webhook.notFound`. */
export async function testEndpoint(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  { actor, workspace }: WorkspaceCaller,
  id: string,
): Promise<string> {
  const event = { type: TEST_EVENT, workspace, by: actor.username, atMs: nowMs(), data: { endpoint: id } };
  const { id: eventId, write: part } = buildEventWrite(event);
  await commitParts(objects, [
    { write: write.check(endpointObject.key(workspace, id), "present"), refused: notFound(id) },
    { write: part, refused: undefined },
  ]);
  return eventId;
}
