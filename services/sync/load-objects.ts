import { actions } from "../../contract/access/actions.ts";
import { defined } from "../../contract/defined.ts";
import { findKind, type KindName, kinds } from "../../contract/kinds/kinds.ts";
import { appObject, appVersionObject, parsePolicy } from "../../core/apps/app.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { resourceObject, toResourceJson } from "../../core/resources/resource.ts";
import { resourceTypeObject, toResourceTypeJson } from "../../core/resources/type.ts";
import { exportSecret } from "../../core/secrets/seal.ts";
import type { SyncItem } from "../../core/sync/item.ts";
import type { KindFiles } from "../../core/sync/kind-files.ts";
import { removeServerFields } from "../../core/sync/server-fields.ts";
import { getExportNonce, type StoredVariable, variableObject } from "../../core/variables/variable.ts";
import { revealSecrets } from "../secrets/reveal.ts";
import { loadExportKey } from "../secrets/unseal.ts";
import { loadPlainValue } from "../variables/read.ts";
import { type ArchiveContext, listReadableVersions, listVersioned, toExtraPerms, toItemVersion } from "./archive-context.ts";
import { loadBodies } from "./load-bodies.ts";

/** Loads the variables. Secrets are decrypted or exported, if the caller requests them. */
export async function loadVariables(context: ArchiveContext): Promise<SyncItem[]> {
  const { reader, query } = context;
  const readable = await listReadableVersions(context, actions.readVariable.access, variableObject, reader.workspace);
  const variables = readable.filter(({ object: { isSecret } }) => !(isSecret && query.skip_secrets));
  const values = await loadSecrets(
    context,
    variables.map(({ object }) => object),
  );
  return variables.map(({ object: variable, version }) => {
    const { path, isSecret, description, account, labels, isOauth } = variable;
    const value = {
      value: values.get(path) ?? variable.value,
      is_secret: isSecret,
      description,
      ...defined({ account }),
      ...(isOauth ? { is_oauth: true } : {}),
      ...defined({ labels }),
      ...toExtraPerms(context, "variable", path),
    };
    return { kind: "variable", path, value, ...toItemVersion(context, version) };
  });
}

/** Returns the values of secrets by path, in the requested form. */
async function loadSecrets({ deps, reader, query }: ArchiveContext, variables: StoredVariable[]): Promise<Map<string, string>> {
  const secrets = variables.filter(({ isSecret }) => isSecret);
  if (secrets.length === 0) return new Map();
  const { workspace } = reader;
  const plain = await Promise.all(secrets.map((secret) => loadPlainValue(deps, workspace, secret)));
  if (query.plain_secret) {
    await revealSecrets(deps, reader, { secrets: plain });
    return new Map(secrets.map(({ path }, index) => [path, plain[index] ?? ""]));
  }
  const exportKey = await loadExportKey(deps, workspace);
  return new Map(secrets.map((secret, index) => [secret.path, exportSecret(exportKey, plain[index] ?? "", getExportNonce(secret))]));
}

/** Loads the resources with their values, references untouched. */
export async function loadResources(context: ArchiveContext): Promise<SyncItem[]> {
  const { workspace } = context.reader;
  const resources = await listReadableVersions(context, actions.readResource.access, resourceObject, workspace);
  return resources.map(({ object: resource, version }) => {
    const { is_oauth, extra_perms, ws_specific, ...fields } = toResourceJson(workspace, resource);
    const value = { ...removeServerFields(fields), value: fields.value ?? null, ...toExtraPerms(context, "resource", resource.path) };
    return { kind: "resource", path: resource.path, value, ...toItemVersion(context, version) };
  });
}

/** Loads the workspace's own resource types. Every workspace has the built-in ones. */
export async function loadResourceTypes(context: ArchiveContext): Promise<SyncItem[]> {
  const { workspace } = context.reader;
  return (await listVersioned(context, resourceTypeObject, workspace)).map(({ object: type, version }) => {
    const { name, ...fields } = toResourceTypeJson(workspace, type);
    return { kind: "resource_type", path: name, value: removeServerFields(fields), ...toItemVersion(context, version) };
  });
}

/** Loads the newest versions of the apps. */
export async function loadApps(context: ArchiveContext): Promise<SyncItem[]> {
  const { deps, reader } = context;
  const { workspace } = reader;
  const apps = await listReadableVersions(context, actions.readApp.access, appObject, workspace);
  const bodies = await loadBodies(
    deps,
    apps.map(({ object }) => appVersionObject.key(workspace, object.version)),
  );
  return apps.flatMap(({ object: app, version }, index): SyncItem[] => {
    const inner = bodies[index];
    if (inner === undefined) return [];
    const { path, summary, customPath, labels } = app;
    const optional = { ...defined({ custom_path: customPath, labels }) };
    const { on_behalf_of, on_behalf_of_email, ...policy } = parsePolicy(app) as Record<string, unknown>;
    const value = { summary, value: inner, policy, ...optional, ...toExtraPerms(context, "app", path) };
    return [{ kind: "app", path, value, ...toItemVersion(context, version) }];
  });
}

/** Returns the mark of an object that runs with the rights of a user, for clients that expect the mark instead of the name. */
const toMark = ({ query }: ArchiveContext, kind: KindName) =>
  query.sync_behavior_version === "v1" && findKind(kind)?.hasIdentity ? { has_permissioned_as: true } : {};

/** Loads the objects of a kind whose files `kindFiles` describes. */
export async function loadObjects(context: ArchiveContext, kind: KindName, { partitionKey, toFile }: KindFiles): Promise<SyncItem[]> {
  const { workspace } = context.reader;
  const access = { domain: kinds[kind].domain, verb: "read", need: "read", target: "path", hiddenAs: "object.notFound" } as const;
  const listed = await listReadableVersions(
    context,
    access,
    { partitionKey, parse: (stored: StoredObject) => toFile(workspace, stored) },
    workspace,
  );
  return listed.map(({ object: { path, fields }, version }) => {
    const value = { ...fields, ...toMark(context, kind), ...toExtraPerms(context, kind, path) };
    return { kind, path, value, ...toItemVersion(context, version) };
  });
}
