import { actions } from "../../contract/access/actions.ts";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { AppPolicy } from "../../contract/routes/stored/app-policy.ts";
import type { AppChange, NewApp } from "../../contract/routes/stored/apps.ts";
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
import { write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { toSearchText } from "../../core/search/index-items.ts";
import { applyOnBehalfOf, resolveOnBehalfOf } from "../identity/on-behalf.ts";
import { type RunAs, requireActingFields } from "../identity/run-as.ts";
import type { ObjectTarget, PathKind } from "../objects/path-kind.ts";
import { changeObject, createObject } from "../objects/save-object.ts";
import { storeVersionBody, type VersionBody } from "../objects/version-body.ts";
import { type TransactionPart, toPart } from "../outbox/commit-parts.ts";
import { checkStoredArguments } from "../resources/stored-arguments.ts";
import type { Uses } from "../uses.ts";

/** The S3 key of a version's value that is too large for an item. */
export const appObjectKey = (workspace: string, version: number) => `apps/${workspace}/${version}.json`;

export const appKind: PathKind<StoredApp> = {
  key: appObject.key,
  parse: appObject.parse,
  permissions: "app",
  toSearchText,
  save: actions.saveApp,
  exists: (path) => new SvcError("app.exists", { path }),
  notFound: (path) => new SvcError("app.notFound", { path }),
  changed: (path) => new SvcError("app.changedMeanwhile", { path }),
  buildCopies: undefined,
};

/**
 * Creates an app with its first version. Throws `app.exists`, `app.customPathTaken`, `app.changedMeanwhile`, `body.tooLarge`, `path.noFolder`,
 * `workspace.notFound`, `script.notOnBehalf`, `user.notFound`, and `reference.refused` for a policy or value with a reference that the caller may
 * not read.
 */
export async function createApp(deps: Uses<"objects" | "storage" | "nowMs">, caller: WorkspaceCaller, request: NewApp): Promise<string> {
  const { actor, workspace } = caller;
  const { path, summary, custom_path: customPath, labels, deployment_message: message } = request;
  const values = newVersions(deps, workspace);
  await values.whileSaving(() =>
    createObject(deps, appKind, { actor, workspace, path }, async () => {
      await checkStoredArguments(deps, caller, { policy: request.policy, value: request.value });
      const policy = await resolvePolicy(deps, caller, request.policy, request);
      const save = await values.store(toJsonText(request.value));
      return async () => {
        const { version, body } = save();
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
          editedBy: actor.username,
        };
        return {
          value: app,
          parts: [
            ...buildVersionParts(workspace, app, { body, message }),
            toPart(write.put({ ...appPathObject.key(workspace, app.id), value: { path } }, "absent")),
            ...buildCustomPathParts(workspace, app, undefined),
          ],
          event: { type: "CreateApp", data: { path, version, ...(message ? { deployment_message: message } : {}) } },
          sent: undefined,
        };
      };
    }),
  );
  return path;
}

/**
 * Changes the given fields of an app; a value is a new version, and another `path` renames it. Returns the path and the newest version. Throws
 * as `createApp` does, `app.notFound`, `object.versionChanged`, and `identity.fieldsMissing` for a request of another user than the app's that does not
 * contain both its value and its policy.
 */
export async function updateApp(
  deps: Uses<"objects" | "storage" | "nowMs">,
  target: ObjectTarget,
  request: AppChange,
): Promise<{ path: string; version: number }> {
  const { actor, workspace, path } = target;
  const { deployment_message: message } = request;
  const to = request.path ?? path;
  const values = newVersions(deps, workspace);
  const { value: saved } = await values.whileSaving(() =>
    changeObject(deps, appKind, { ...target, to }, async () => {
      const save = request.value === undefined ? undefined : await values.store(toJsonText(request.value));
      return async ({ customPath: oldCustomPath, ...rest }) => {
        const atMs = deps.nowMs();
        const saving = save?.();
        const policyJson =
          request.policy === undefined && !saving
            ? rest.policyJson
            : JSON.stringify(await changePolicy(deps, { actor, workspace }, parsePolicy(rest), request));
        const customPath = request.custom_path === undefined ? oldCustomPath : request.custom_path;
        const app: StoredApp = {
          ...rest,
          path: to,
          policyJson,
          ...defined({ summary: request.summary }),
          ...(request.labels == null ? {} : { labels: request.labels }),
          ...(customPath ? { customPath } : {}),
          ...(saving ? { version: saving.version, createdBy: actor.username, createdAtMs: atMs } : {}),
          editedAtMs: atMs,
          editedBy: actor.username,
        };
        return {
          value: app,
          parts: [
            ...(to === path ? [] : [toPart(write.put({ ...appPathObject.key(workspace, app.id), value: { path: to } }, "present"))]),
            ...(saving ? buildVersionParts(workspace, app, { body: saving.body, message }) : []),
            ...buildCustomPathParts(workspace, app, oldCustomPath),
          ],
          event: {
            type: "UpdateApp",
            data: {
              path: to,
              ...(to === path ? {} : { old_path: path }),
              version: app.version,
              ...(message ? { deployment_message: message } : {}),
            },
          },
          sent: undefined,
        };
      };
    }),
  );
  return { path: saved.path, version: saved.version };
}

/**
 * Stores the value of a new version before the app is saved, if it is large. `store` returns the function that numbers the version: each try needs
 * another number, because another version of the same millisecond may have it. `whileSaving` removes the value if no version refers to it.
 */
function newVersions({ storage, nowMs }: Uses<"storage" | "nowMs">, workspace: string) {
  let stored: VersionBody | undefined;
  return {
    async store(json: string): Promise<() => { version: number; body: VersionBody }> {
      let next = createVersionId(nowMs(), Math.random());
      const s3Key = appObjectKey(workspace, next);
      const body = await storeVersionBody({ storage }, { s3Key, json, itemBytes: limits.itemBytes });
      stored = body;
      return () => ({ version: next++, body });
    },
    async whileSaving<R>(save: () => Promise<R>): Promise<R> {
      try {
        return await save();
      } catch (error) {
        // If the response was lost, the version may exist and refer to the value.
        if (error instanceof SvcError && stored && "s3Key" in stored) await storage.deleteObject(stored.s3Key);
        throw error;
      }
    },
  };
}

function buildVersionParts(
  workspace: string,
  { id, version, createdBy, createdAtMs }: StoredApp,
  { body, message }: { body: VersionBody; message: string | null | undefined },
): TransactionPart[] {
  const creation = { createdBy, createdAtMs };
  const entry = { version, ...creation, ...(message ? { message } : {}) };
  return [
    toPart(write.put({ ...appVersionObject.key(workspace, version), value: { app: id, ...creation, ...body } }, "absent")),
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
  deps: Uses<"objects">,
  { actor, workspace }: WorkspaceCaller,
  policy: AppPolicy,
  { preserve_on_behalf_of }: Pick<NewApp, "preserve_on_behalf_of">,
): Promise<AppPolicy> {
  const named = { on_behalf_of_email: policy.on_behalf_of_email || actor.email, preserve_on_behalf_of };
  const behalf = await resolveOnBehalfOf(deps, actor, workspace, applyOnBehalfOf(actor, workspace, named));
  if (!behalf) return policy;
  return { ...policy, on_behalf_of: behalf.permissionedAs, on_behalf_of_email: behalf.email };
}

/** Returns the policy of an app that is changed. Otherwise its scripts would run as the earlier author, who has not seen the new code. */
async function changePolicy(deps: Uses<"objects">, caller: WorkspaceCaller, before: AppPolicy, request: AppChange): Promise<AppPolicy> {
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

/** A reply contains the value as JSON inside JSON, where each quotation mark takes two bytes. */
function toJsonText(value: unknown): string {
  const json = JSON.stringify(value);
  if (Buffer.byteLength(JSON.stringify(json)) > limits.appBytes)
    throw new SvcError("body.tooLarge", { limitBytes: limits.appBytes, what: "value" });
  return json;
}
