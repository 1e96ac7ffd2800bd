import { defined } from "../../contract/defined.ts";
import { fieldsOf } from "../../core/sync/item.ts";
import type { ApiClient } from "../api/client.ts";
import { storeTempSources } from "../metadata/temp-sources.ts";
import type { Output } from "../output/output.ts";
import type { Start } from "../run/run-job.ts";
import type { PreviewItem } from "./read-item.ts";

/** Concurrent requests that store imported scripts. */
const AT_ONCE = 4;

/** Returns the request that runs a script or flow from its files. Imported scripts that differ from the saved ones are stored for a day. */
export async function createPreview(
  client: ApiClient,
  item: PreviewItem,
  { args, output }: { args: Record<string, unknown>; output: Output },
): Promise<Start> {
  const temps = await storeTempSources(client, item.imports, { output, parallel: AT_ONCE });
  return describePreview(item, args, Object.fromEntries(temps));
}

function describePreview(
  { kind, path, local }: PreviewItem,
  args: Record<string, unknown>,
  temp_script_refs: Record<string, string>,
): Start {
  const { item, bundle } = local;
  if (kind === "flow") {
    const body = { path, args, value: fieldsOf(item)["value"], temp_script_refs };
    return { name: "jobs.run.previewFlow", input: { body: body }, kind };
  }
  const { lock, tag, timeout } = fieldsOf(item);
  const preview = {
    path,
    args,
    content: item.content,
    language: item.language,
    temp_script_refs,
    ...(typeof lock === "string" && lock !== "" ? { lock } : {}),
    ...(typeof tag === "string" ? { tag } : {}),
  };
  const query = typeof timeout === "number" ? { timeout } : {};
  if (bundle === undefined) return { name: "jobs.run.preview", input: { body: preview, query }, kind };
  const { tar, format, bytes } = bundle;
  const form = new FormData();
  form.append("preview", JSON.stringify({ ...preview, kind: tar ? "tarbundle" : "bundle", ...defined({ format }) }));
  form.append("file", new Blob([bytes]));
  return { name: "jobs.run.previewBundle", input: { body: form, query }, kind };
}
