import { formatYaml } from "../../../core/sync/files/yaml.ts";
import { unlessMissing } from "../../api/client.ts";
import { at, readOf } from "../../api/item-operations.ts";
import { readPages } from "../../api/pages.ts";
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
  const client = context.client();
  const read = async (page: object) =>
    (await client.callAny(`${kind.noun}.list`, { query: { path_start: flags.pathStart, ...page } })) as Fields[];
  const rows = await (kind.unpaged ? read({}) : readPages(read));
  const { output } = context;
  const table = output.table(
    kind.columns.map((column) => column.toUpperCase()),
    rows.map((row) => kind.columns.map((column) => row[column])),
  );
  output.data(rows, table);
}

export async function getObject(context: Context, name: string, path: string, flags: KindFlags & { showSecret?: boolean }): Promise<void> {
  const { noun } = findKind(name, flags.kind);
  // The value of a secret is not even requested.
  const query = name === "variable" ? { decrypt_secret: flags.showSecret ?? false } : {};
  const object = await context.client().callAny(readOf(noun), { ...at(path), query });
  context.output.value(object);
}

/** Prints a script's source, or a flow or an app in the form of its file. */
export async function showObject(context: Context, name: string, path: string): Promise<void> {
  const object = (await context.client().callAny(readOf(findKind(name).noun), at(path))) as Fields;
  const { summary, description, value, schema, content } = object;
  const text = name === "script" ? String(content) : formatYaml(dropUndefined({ summary, description, value, schema }));
  context.output.data(object, text);
}

const dropUndefined = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const histories = { script: "scripts.history", flow: "flows.history", app: "apps.history" } as const;

export async function listHistory(context: Context, name: string, path: string): Promise<void> {
  const versions = (await context.client().callAny(histories[name as keyof typeof histories], { path })) as Fields[];
  const { output } = context;
  const idOf = ({ script_hash, id, version }: Fields) => script_hash ?? id ?? version;
  const rows = versions.map((one) => [idOf(one), one["created_at"], one["created_by"], one["deployment_msg"]]);
  output.data(versions, output.table(["VERSION", "CREATED_AT", "CREATED_BY", "MESSAGE"], rows));
}

export async function deleteObject(context: Context, name: string, path: string, { kind }: KindFlags): Promise<void> {
  const { item, noun, archive } = findKind(name, kind);
  const client = context.client();
  const query = name === "variable" ? { decrypt_secret: false } : {};
  const found = await client.callAny(readOf(noun), { ...at(path), query }).catch(unlessMissing);
  if (!found) throw new CommandError(`There is no ${name} ${path}.`);
  await context.confirm(`${archive ? "Archive" : "Delete"} the ${name} ${path}?`);
  if (name === "flow") await client.call.flows.archive({ path, body: { archived: true } });
  else await deleteItem(client, { kind: item, path, value: found });
  context.output.say(`The ${name} ${path} was ${archive ? "archived" : "deleted"}.`);
}

export async function setEnabled(context: Context, state: string, path: string): Promise<void> {
  await context.client().call.schedules.setEnabled({ path, body: { enabled: state === "enable" } });
  context.output.say(`The schedule ${path} is ${state}d.`);
}
