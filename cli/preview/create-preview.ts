import { fieldsOf } from "../../core/sync/item.ts";
import type { Start } from "../run/run-job.ts";
import type { PreviewItem } from "./read-item.ts";

/** Returns the request that runs a script or flow as its files are. */
export function createPreview({ kind, path, local }: PreviewItem, args: Record<string, unknown>): Start {
  const { item, bundle } = local;
  if (kind === "flow") return { route: "jobs/run/preview_flow", body: { path, args, value: fieldsOf(item)["value"] }, kind };
  const { lock, tag, timeout } = fieldsOf(item);
  const preview = {
    path,
    args,
    content: item.content,
    language: item.language,
    ...(typeof lock === "string" && lock !== "" ? { lock } : {}),
    ...(typeof tag === "string" ? { tag } : {}),
  };
  const query = typeof timeout === "number" ? { timeout } : {};
  if (bundle === undefined) return { route: "jobs/run/preview", body: preview, query, kind };
  const { tar, format, bytes } = bundle;
  const form = new FormData();
  form.append("preview", JSON.stringify({ ...preview, kind: tar ? "tarbundle" : "bundle", ...(format ? { format } : {}) }));
  form.append("file", new Blob([bytes]));
  return { route: "jobs/run/preview_bundle", body: form, query, kind };
}
