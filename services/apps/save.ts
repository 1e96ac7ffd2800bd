import { randomUUID } from "node:crypto";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Storage } from "../../aws/s3/storage.ts";
import { actions } from "../../contract/access/actions.ts";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { AppChange, AppPolicy, NewApp } from "../../contract/routes/stored/apps.ts";
import {
  appCustomPathObject,
  appHistoryObject,
  appObject,
  appPathObject,
  appVersionObject,
  parsePolicy,
  type StoredApp,
} from "../../core/apps/app.ts";
import { createVersionId } from "../../core/flows/version.ts";
import { unchangedSince, write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { applyOnBehalfOf, resolveOnBehalfOf } from "../identity/on-behalf.ts";
import { permitPath } from "../identity/permit.ts";
import { type RunAs, requireActingFields } from "../identity/run-as.ts";
import { buildPathConditions, commitParts, retryOnConflict, type TransactionPart } from "../outbox/commit-parts.ts";
import { buildEventParts } from "../outbox/event.ts";
import { checkStoredArguments } from "../resources/stored-arguments.ts";
import { buildAclPart } from "../workspaces/acls.ts";
import { requireApp } from "./read.ts";

export interface SaveAppDeps {
  objects: ObjectTable;
  storage: Storage;
  nowMs: () => number;
}

/** The S3 key of a version's value that is too large for an item. */
export const appObjectKey = (workspace: string, version: number) => `apps/${workspace}/${version}.json`;

/** Without `refused`, a refusal means that another writer has changed the app. */
const toPart = (done: TransactionPart["write"], refused?: SvcError): TransactionPart => ({ write: done, refused });

/**
 * Creates an app with its first version. Throws `app.exists`, `app.customPathTaken`, `app.changedMeanwhile`, `body.tooLarge`, `path.noFolder`,
 * `workspace.notFound`, `script.notOnBehalf`, `user.notFound`, and `reference.refused` for a policy or value that refers to what the caller may not read.
 */
export async function createApp(deps: SaveAppDeps, caller: WorkspaceCaller, request: NewApp): Promise<string> {
  const { actor, workspace } = caller;
  const { path, summary, custom_path: customPath, labels } = request;
  permitPath(actor, actions.saveApp, workspace, path);
  await checkStoredArguments(deps, caller, { policy: request.policy, value: request.value });
  const policy = await resolvePolicy(deps, caller, request.policy, request);
  const message = request.deployment_message;
  await withNewVersion(
    deps,
    workspace,
    toJsonText(request.value),
    async (version, body) => {
      const atMs = deps.nowMs();
      const app: StoredApp = {
        id: version,
        path,
        version,
        summary,
        policyJson: JSON.stringify(policy),
        ...(customPath ? { customPath } : {}),
        ...(labels ? { labels } : {}),
        createdBy: actor.username,
        createdAtMs: atMs,
        editedAtMs: atMs,
      };
      return [
        ...buildPathConditions(workspace, path),
        toPart(
          write.put({ ...appObject.key(workspace, path), value: app, version: randomUUID() }, "absent"),
          new SvcError("app.exists", { path }),
        ),
        ...buildVersionParts(workspace, app, { body, message }),
        toPart(write.put({ ...appPathObject.key(workspace, app.id), value: { path } }, "absent")),
        ...buildCustomPathParts(workspace, app, undefined),
        ...(await buildEventParts(deps, {
          type: "CreateApp",
          workspace,
          by: actor.username,
          atMs,
          data: { path, version, ...(message ? { deployment_message: message } : {}) },
        })),
      ];
    },
    path,
  );
  return path;
}

/**
 * Changes the given fields of an app; a value is a new version, and another `path` renames it. Returns the path and the newest version. Throws
 * as `createApp` does, `app.notFound`, and `identity.fieldsMissing` for a request of another user than the app's that does not contain both its value
 * and its policy.
 */
export async function updateApp(
  deps: SaveAppDeps,
  { actor, workspace, path }: WorkspaceCaller & { path: string },
  request: AppChange,
): Promise<{ path: string; version: number }> {
  const to = request.path ?? path;
  permitPath(actor, actions.saveApp, workspace, to);
  const json = request.value === undefined ? undefined : toJsonText(request.value);
  let saved: StoredApp | undefined;
  const change = async (newVersion: number | undefined, body: VersionBody | undefined): Promise<TransactionPart[]> => {
    const found = await deps.objects.get(appObject.key(workspace, path));
    const before = requireApp(found, path);
    const atMs = deps.nowMs();
    const policyJson =
      request.policy === undefined && newVersion === undefined
        ? before.policyJson
        : JSON.stringify(await changePolicy(deps, { actor, workspace }, parsePolicy(before), request));
    const { customPath: oldCustomPath, ...rest } = before;
    const customPath = request.custom_path === undefined ? oldCustomPath : request.custom_path;
    const app: StoredApp = {
      ...rest,
      path: to,
      policyJson,
      ...defined({ summary: request.summary }),
      ...(request.labels == null ? {} : { labels: request.labels }),
      ...(customPath ? { customPath } : {}),
      ...(newVersion === undefined ? {} : { version: newVersion, createdBy: actor.username, createdAtMs: atMs }),
      editedAtMs: atMs,
    };
    saved = app;
    const message = request.deployment_message;
    const head = { ...appObject.key(workspace, to), value: app, version: randomUUID() };
    return [
      ...(to === path
        ? [toPart(write.put(head, found && unchangedSince(found)))]
        : [
            ...buildPathConditions(workspace, to),
            toPart(write.put(head, "absent"), new SvcError("app.exists", { path: to })),
            toPart(write.remove(appObject.key(workspace, path), found && unchangedSince(found))),
            toPart(write.put({ ...appPathObject.key(workspace, app.id), value: { path: to } }, "present")),
            await buildAclPart(deps, { workspace, kind: "app", path }, { actor, to }),
          ]),
      ...(body ? buildVersionParts(workspace, app, { body, message }) : []),
      ...buildCustomPathParts(workspace, app, oldCustomPath),
      ...(await buildEventParts(deps, {
        type: "UpdateApp",
        workspace,
        by: actor.username,
        atMs,
        data: {
          path: to,
          ...(to === path ? {} : { old_path: path }),
          version: app.version,
          ...(message ? { deployment_message: message } : {}),
        },
      })),
    ];
  };
  await withNewVersion(deps, workspace, json, change, path);
  if (!saved) throw new SvcError("app.changedMeanwhile", { path });
  return { path: saved.path, version: saved.version };
}

/** A value as JSON text, or its location. */
type VersionBody = { json: string } | { s3Key: string };

/**
 * Commits the parts that `build` returns, which may write a new version with the value, and tries again when another writer was first. A large value
 * is stored before, and removed if no version refers to it.
 */
async function withNewVersion<Json extends string | undefined>(
  { objects, storage, nowMs }: SaveAppDeps,
  workspace: string,
  json: Json,
  build: (
    version: Json extends string ? number : number | undefined,
    body: Json extends string ? VersionBody : VersionBody | undefined,
  ) => Promise<TransactionPart[]>,
  path: string,
): Promise<void> {
  const version = json === undefined ? undefined : createVersionId(nowMs(), Math.random());
  const body = json === undefined || version === undefined ? undefined : await storeBody(storage, workspace, version, json);
  let tries = 0;
  try {
    await retryOnConflict(
      async () => {
        // Another version of the same millisecond may have the number.
        const free = version === undefined ? undefined : version + tries;
        tries += 1;
        // `version` and `body` are set exactly when `json` is.
        const parts = await build(free as never, body as never);
        return (await commitParts(objects, parts)) ? { done: undefined } : undefined;
      },
      () => new SvcError("app.changedMeanwhile", { path }),
    );
  } catch (error) {
    // If the response was lost, the version may exist and refer to the value.
    if (error instanceof SvcError && body && "s3Key" in body) await storage.deleteObject(body.s3Key);
    throw error;
  }
}

async function storeBody(storage: Storage, workspace: string, version: number, json: string): Promise<VersionBody> {
  if (Buffer.byteLength(json) <= limits.itemBytes) return { json };
  const s3Key = appObjectKey(workspace, version);
  await storage.putObject(s3Key, json, "application/json");
  return { s3Key };
}

function buildVersionParts(
  workspace: string,
  { id, version, createdBy, createdAtMs }: StoredApp,
  { body, message }: { body: VersionBody; message: string | null | undefined },
): TransactionPart[] {
  const made = { createdBy, createdAtMs };
  const entry = { version, ...made, ...(message ? { message } : {}) };
  return [
    toPart(write.put({ ...appVersionObject.key(workspace, version), value: { app: id, ...made, ...body } }, "absent")),
    toPart(write.put({ ...appHistoryObject.key(workspace, id, version), value: entry }, "absent")),
  ];
}

/** A custom path belongs to one app of the workspace. */
function buildCustomPathParts(workspace: string, { id, customPath }: StoredApp, before: string | undefined): TransactionPart[] {
  if (customPath === before) return [];
  return [
    ...(before === undefined ? [] : [toPart(write.remove(appCustomPathObject.key(workspace, before)))]),
    ...(customPath === undefined
      ? []
      : [
          toPart(
            write.put({ ...appCustomPathObject.key(workspace, customPath), value: { app: id } }, "absent"),
            new SvcError("app.customPathTaken", { customPath }),
          ),
        ]),
  ];
}

/** Sets the user for whom the app's scripts run: the user who saves it, or the one whom an admin preserves. */
async function resolvePolicy(
  deps: SaveAppDeps,
  { actor, workspace }: WorkspaceCaller,
  policy: AppPolicy,
  { preserve_on_behalf_of }: Pick<NewApp, "preserve_on_behalf_of">,
): Promise<AppPolicy> {
  const named = { on_behalf_of_email: policy.on_behalf_of_email || actor.email, preserve_on_behalf_of };
  const behalf = await resolveOnBehalfOf(deps, actor, workspace, applyOnBehalfOf(actor, workspace, named));
  if (!behalf) return policy;
  return { ...policy, on_behalf_of: behalf.permissionedAs, on_behalf_of_email: behalf.email };
}

/** Returns the policy of an app that is changed. Its scripts would otherwise run as the earlier author, who has not seen what is saved now. */
async function changePolicy(deps: SaveAppDeps, caller: WorkspaceCaller, before: AppPolicy, request: AppChange): Promise<AppPolicy> {
  const { value, policy = before } = request;
  const changed = await resolvePolicy(deps, caller, policy, request);
  const remaining = { value: value === undefined ? "stored" : undefined, policy: request.policy ? undefined : "stored" };
  requireActingFields(toRunAs(before), toRunAs(changed), remaining);
  await checkStoredArguments(deps, caller, { policy, value });
  return changed;
}

const toRunAs = ({ on_behalf_of, on_behalf_of_email }: AppPolicy): RunAs => ({
  email: on_behalf_of_email ?? "",
  permissionedAs: on_behalf_of ?? "",
  superAdmin: false,
});

/** A reply contains the value as JSON inside JSON, in which each quotation mark takes two bytes. */
function toJsonText(value: unknown): string {
  const json = JSON.stringify(value);
  if (Buffer.byteLength(JSON.stringify(json)) > limits.appBytes)
    throw new SvcError("body.tooLarge", { limitBytes: limits.appBytes, what: "value" });
  return json;
}
