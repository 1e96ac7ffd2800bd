import { formatYaml } from "../../../core/sync/files/yaml.ts";
import { readPages } from "../../api/pages.ts";
import { encodePath } from "../../api/routes.ts";
import type { Context } from "../../context.ts";
import { CommandError } from "../../errors.ts";
import { findKind } from "../../objects/kinds.ts";
import { deleteItem } from "../../sync/push/apply.ts";

type Fields = Record<string, unknown>;
interface KindFlags {
  kind?: string;
}

export async function listObjects(context: Context, name: string, flags: KindFlags & { pathStart?: string }): Promise<void> {
  const kind = findKind(name, flags.kind);
  const [client, route, query] = [context.client(), `${kind.routes}/list`, { path_start: flags.pathStart }];
  const rows = await (kind.unpaged ? client.get<Fields[]>(route, { query }) : readPages<Fields>(client, route, query));
  const { output } = context;
  const table = output.table(
    kind.columns.map((column) => column.toUpperCase()),
    rows.map((row) => kind.columns.map((column) => row[column])),
  );
  output.data(rows, table);
}

export async function getObject(context: Context, name: string, path: string, flags: KindFlags & { showSecret?: boolean }): Promise<void> {
  const { get } = findKind(name, flags.kind);
  // The value of a secret is not even requested.
  const query = name === "variable" ? { decrypt_secret: flags.showSecret ?? false } : {};
  const object = await context.client().get<Fields>(`${get}/${encodePath(path)}`, { query });
  context.output.value(object);
}

/** Prints a script's source, or a flow or an app in the form of its file. */
export async function showObject(context: Context, name: string, path: string): Promise<void> {
  const { get } = findKind(name);
  const object = await context.client().get<Fields>(`${get}/${encodePath(path)}`);
  const { summary, description, value, schema, content } = object;
  const text = name === "script" ? String(content) : formatYaml(dropUndefined({ summary, description, value, schema }));
  context.output.data(object, text);
}

const dropUndefined = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

export async function listHistory(context: Context, name: string, path: string): Promise<void> {
  const { routes } = findKind(name);
  const versions = await context.client().get<Fields[]>(`${routes}/history/p/${encodePath(path)}`);
  const { output } = context;
  const idOf = ({ script_hash, id, version }: Fields) => script_hash ?? id ?? version;
  const rows = versions.map((one) => [idOf(one), one["created_at"], one["created_by"], one["deployment_msg"]]);
  output.data(versions, output.table(["VERSION", "CREATED_AT", "CREATED_BY", "MESSAGE"], rows));
}

export async function deleteObject(context: Context, name: string, path: string, { kind }: KindFlags): Promise<void> {
  const { item, get, archive } = findKind(name, kind);
  const client = context.client();
  const found = await client.find<Fields>(`${get}/${encodePath(path)}`, { query: name === "variable" ? { decrypt_secret: false } : {} });
  if (!found) throw new CommandError(`There is no ${name} ${path}.`);
  await context.confirm(`${archive ? "Archive" : "Delete"} the ${name} ${path}?`);
  if (name === "flow") await client.post(`flows/archive/${encodePath(path)}`, { archived: true });
  else await deleteItem(client, { kind: item, path, value: found });
  context.output.say(`The ${name} ${path} was ${archive ? "archived" : "deleted"}.`);
}

export async function setEnabled(context: Context, state: string, path: string): Promise<void> {
  await context.client().post(`schedules/setenabled/${encodePath(path)}`, { enabled: state === "enable" });
  context.output.say(`The schedule ${path} is ${state}d.`);
}
