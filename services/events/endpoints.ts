import { randomUUID } from "node:crypto";
import { SvcError } from "../../contract/errors.ts";
import { TEST_EVENT } from "../../contract/events.ts";
import { limits } from "../../contract/limits.ts";
import type { NewWebhook, WebhookChange, WorkspaceWebhookChange } from "../../contract/routes/events/webhooks.ts";
import {
  changeEndpoint,
  type Endpoint,
  endpointGuardObject,
  endpointObject,
  versionOfEndpoint,
  WORKSPACE_ENDPOINT,
} from "../../core/events/endpoint.ts";
import { selectVersions } from "../../core/objects/setting-versions.ts";
import { type ExpectedVersions, requireVersion } from "../../core/objects/version.ts";
import { unchangedSince, write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { commitParts, retryOnConflict, toPart } from "../outbox/commit-parts.ts";
import { buildEventWrite } from "../outbox/event.ts";
import type { Uses } from "../uses.ts";

const notFound = (id: string) => new SvcError("webhook.notFound", { id });
const changed = (id: string) => new SvcError("webhook.changedMeanwhile", { id });

/** Checks that an endpoint has one of the versions that a caller expects. Throws `object.versionChanged`. */
function requireEndpointVersion(endpoint: Endpoint | undefined, id: string, expected: ExpectedVersions | undefined): void {
  const edit = endpoint && { by: endpoint.editedBy, atMs: endpoint.editedAtMs };
  requireVersion({ version: versionOfEndpoint(endpoint), changed: edit }, { path: id, expected });
}

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

/** Changes the given fields of an endpoint and returns it. Throws `webhook.notFound`, `object.versionChanged`, `webhook.changedMeanwhile`. */
export async function updateEndpoint(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  { actor, workspace }: WorkspaceCaller,
  id: string,
  change: WebhookChange,
  expected?: ExpectedVersions,
): Promise<Endpoint> {
  const key = endpointObject.key(workspace, id);
  return retryOnConflict(
    async () => {
      const found = await objects.get(key);
      if (!found) throw notFound(id);
      const before = endpointObject.parse(found);
      requireEndpointVersion(before, id, expected);
      const endpoint = changeEndpoint(before, change, { by: actor.username, atMs: nowMs() });
      const isStored = await objects.put({ ...key, value: endpoint, version: randomUUID() }, unchangedSince(found));
      return isStored ? { done: endpoint } : undefined;
    },
    () => changed(id),
  );
}

/** Removes an endpoint. Throws `webhook.notFound`, `object.versionChanged`, `webhook.changedMeanwhile`. */
export async function deleteEndpoint(
  { objects }: Uses<"objects">,
  workspace: string,
  id: string,
  expected?: ExpectedVersions,
): Promise<void> {
  if (!(await removeEndpoint({ objects }, workspace, id, expected))) throw notFound(id);
}

/** Removes an endpoint, and returns whether there was one. */
async function removeEndpoint(
  { objects }: Uses<"objects">,
  workspace: string,
  id: string,
  expected: ExpectedVersions | undefined,
): Promise<boolean> {
  const key = endpointObject.key(workspace, id);
  return retryOnConflict(
    async () => {
      const found = await objects.get(key);
      requireEndpointVersion(found && endpointObject.parse(found), id, expected);
      if (!found) return { done: false };
      return (await commitParts(objects, [toPart(write.remove(key, unchangedSince(found)))])) ? { done: true } : undefined;
    },
    () => changed(id),
  );
}

/**
 * Sets the workspace's own webhook, or removes it, and returns the stored one. Without `webhook` it is removed, as the command line expects; with
 * `events` alone only the types change. A URL enables the endpoint. Throws `webhook.notFound`, `object.versionChanged`,
 * `webhook.changedMeanwhile`, `workspace.notFound`.
 */
export async function setWorkspaceWebhook(
  deps: Uses<"objects" | "nowMs">,
  caller: WorkspaceCaller,
  { webhook, events }: WorkspaceWebhookChange,
  expected?: ExpectedVersions,
): Promise<Endpoint | undefined> {
  const versions = selectVersions("webhook", expected);
  const { objects, nowMs } = deps;
  const { actor, workspace } = caller;
  const choice = events === undefined ? {} : { events };
  if (webhook === undefined && events !== undefined) return updateEndpoint(deps, caller, WORKSPACE_ENDPOINT, choice, versions);
  const key = endpointObject.key(workspace, WORKSPACE_ENDPOINT);
  if (!webhook) {
    await removeEndpoint(deps, workspace, WORKSPACE_ENDPOINT, versions);
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
      const stored = found && endpointObject.parse(found);
      requireEndpointVersion(stored, WORKSPACE_ENDPOINT, versions);
      const before = stored ?? base;
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
