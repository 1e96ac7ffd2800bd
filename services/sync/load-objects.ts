import { actions } from "../../contract/access/actions.ts";
import { kindsOnlyInOwnArchives, triggerKinds } from "../../contract/routes/triggers/trigger-kinds.ts";
import { appVersionSchema, parsePolicy, storedAppSchema } from "../../core/apps/app.ts";
import { keys } from "../../core/objects/keys.ts";
import { parseObject } from "../../core/objects/parse-object.ts";
import { parseJson } from "../../core/records/record-format.ts";
import { storedResourceSchema, toResourceJson } from "../../core/resources/resource.ts";
import { storedTypeSchema, toResourceTypeJson } from "../../core/resources/type.ts";
import { storedScheduleSchema, toScheduleJson } from "../../core/schedules/schedule.ts";
import { exportSecret } from "../../core/secrets/seal.ts";
import type { SyncItem } from "../../core/sync/item.ts";
import { removeServerFields } from "../../core/sync/server-fields.ts";
import { storedTriggerSchema, toTriggerJson } from "../../core/triggers/trigger.ts";
import { getExportNonce, type StoredVariable, storedVariableSchema } from "../../core/variables/variable.ts";
import { loadExportKey } from "../secrets/key-ring.ts";
import { recordSecretsFor } from "../secrets/masks.ts";
import { loadPlainValue } from "../variables/read.ts";
import { type ArchiveContext, mayRead, toExtraPerms } from "./archive-context.ts";

/** Loads the variables. Secrets are decrypted or exported, if they are wanted at all. */
export async function loadVariables(context: ArchiveContext): Promise<SyncItem[]> {
  const { deps, reader, query } = context;
  const { workspace } = reader;
  const stored = await deps.objects.list(keys.variable(workspace, "").pk);
  const variables = stored
    .map((object) => parseObject(storedVariableSchema, object))
    .filter(({ path, isSecret }) => !(isSecret && query.skip_secrets) && mayRead(context, actions.readVariable.access, path));
  const values = await revealSecrets(context, variables);
  return variables.map((variable) => {
    const { path, isSecret, description, account, labels, isOauth } = variable;
    const value = {
      value: values.get(path) ?? variable.value,
      is_secret: isSecret,
      description,
      ...(account === undefined ? {} : { account }),
      ...(isOauth ? { is_oauth: true } : {}),
      ...(labels === undefined ? {} : { labels }),
      ...toExtraPerms(context, "variable", path),
    };
    return { kind: "variable", path, value };
  });
}

/** Returns the values of secrets by path, as the caller wants them. A secret is recorded before a job receives it. */
async function revealSecrets({ deps, reader, query }: ArchiveContext, variables: StoredVariable[]): Promise<Map<string, string>> {
  const secrets = variables.filter(({ isSecret }) => isSecret);
  if (secrets.length === 0) return new Map();
  const { workspace } = reader;
  const plain = await Promise.all(secrets.map((secret) => loadPlainValue(deps, workspace, secret)));
  if (query.plain_secret) {
    await recordSecretsFor(deps, reader, plain);
    return new Map(secrets.map(({ path }, index) => [path, plain[index] ?? ""]));
  }
  const exportKey = await loadExportKey(deps, workspace);
  return new Map(secrets.map((secret, index) => [secret.path, exportSecret(exportKey, plain[index] ?? "", getExportNonce(secret))]));
}

/** Loads the resources with their values, references untouched. */
export async function loadResources(context: ArchiveContext): Promise<SyncItem[]> {
  const { deps, reader } = context;
  const stored = await deps.objects.list(keys.resource(reader.workspace, "").pk);
  return stored
    .map((object) => parseObject(storedResourceSchema, object))
    .filter(({ path }) => mayRead(context, actions.readResource.access, path))
    .map((resource) => {
      const { is_oauth, extra_perms, ws_specific, ...fields } = toResourceJson(reader.workspace, resource);
      const value = { ...removeServerFields(fields), value: fields.value ?? null, ...toExtraPerms(context, "resource", resource.path) };
      return { kind: "resource", path: resource.path, value };
    });
}

/** Loads the workspace's own resource types. Every workspace has the built-in ones. */
export async function loadResourceTypes({ deps, reader }: ArchiveContext): Promise<SyncItem[]> {
  const stored = await deps.objects.list(keys.resourceType(reader.workspace, "").pk);
  return stored.map((object) => {
    const { name, ...fields } = toResourceTypeJson(reader.workspace, parseObject(storedTypeSchema, object));
    return { kind: "resource_type", path: name, value: removeServerFields(fields) };
  });
}

/** Loads the newest versions of the apps. */
export async function loadApps(context: ArchiveContext): Promise<SyncItem[]> {
  const { deps, reader } = context;
  const { workspace } = reader;
  const stored = await deps.objects.list(keys.app(workspace, "").pk);
  const apps = stored.map((object) => parseObject(storedAppSchema, object)).filter(({ path }) => mayRead(context, readApp, path));
  const versions = await deps.objects.batchGet(
    apps.map(({ version }) => keys.appVersion(workspace, version)),
    { consistent: true },
  );
  const items = apps.map(async (app, index): Promise<SyncItem[]> => {
    const found = versions[index];
    if (!found) return [];
    const { json, s3Key } = parseObject(appVersionSchema, found);
    const inner = parseJson({ parent: found.pk, ref: found.sk, json: json ?? (await deps.storage.getObjectText(s3Key ?? "")) });
    const { path, summary, customPath, labels } = app;
    const optional = { ...(customPath === undefined ? {} : { custom_path: customPath }), ...(labels === undefined ? {} : { labels }) };
    const { on_behalf_of, on_behalf_of_email, ...policy } = parsePolicy(app) as Record<string, unknown>;
    return [{ kind: "app", path, value: { summary, value: inner, policy, ...optional, ...toExtraPerms(context, "app", path) } }];
  });
  return (await Promise.all(items)).flat();
}

const readApp = { domain: "apps", verb: "read", need: "read", target: "path", hiddenAs: "app.notFound" } as const;

/** Returns the mark of an object that runs with the rights of a user, for clients that expect the mark instead of the name. */
const toMark = ({ query }: ArchiveContext) => (query.sync_behavior_version === "v1" ? { has_permissioned_as: true } : {});

/** Loads the schedules. */
export async function loadSchedules(context: ArchiveContext): Promise<SyncItem[]> {
  const { deps, reader } = context;
  const stored = await deps.objects.list(keys.schedule(reader.workspace, "").pk);
  return stored
    .map((object) => parseObject(storedScheduleSchema, object))
    .filter(({ path }) => mayRead(context, readSchedule, path))
    .map((schedule) => {
      const { extra_perms, ...fields } = toScheduleJson(reader.workspace, schedule);
      const value = { ...removeServerFields(fields), ...toMark(context), ...toExtraPerms(context, "schedule", schedule.path) };
      return { kind: "schedule", path: schedule.path, value };
    });
}

const readSchedule = { domain: "schedules", verb: "read", need: "read", target: "path", hiddenAs: "schedule.notFound" } as const;

/** Loads the triggers of every kind that the client knows. */
export async function loadTriggers(context: ArchiveContext): Promise<SyncItem[]> {
  const { deps, reader, query } = context;
  const kinds = triggerKinds.filter((kind) => query.all_kinds || !kindsOnlyInOwnArchives.has(kind));
  const items = kinds.map(async (kind) => {
    const access = { domain: `${kind}_triggers`, verb: "read", need: "read", target: "path", hiddenAs: "trigger.notFound" } as const;
    const stored = await deps.objects.list(keys.trigger(reader.workspace, kind, "").pk);
    return stored
      .map((object) => parseObject(storedTriggerSchema, object))
      .filter(({ path }) => mayRead(context, access, path))
      .map((trigger) => {
        const { extra_perms, enabled, ...fields } = toTriggerJson(reader.workspace, trigger, {});
        const value = { ...removeServerFields(fields), ...toMark(context), ...toExtraPerms(context, `${kind}_trigger`, trigger.path) };
        return { kind: `${kind}_trigger`, path: trigger.path, value };
      });
  });
  return (await Promise.all(items)).flat();
}
