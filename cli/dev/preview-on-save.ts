import { randomUUID } from "node:crypto";
import { isJsonObject } from "../../contract/json/json-object.ts";
import { ApiError } from "../api/client.ts";
import type { Context } from "../context.ts";
import { createPreview } from "../preview/create-preview.ts";
import type { PreviewPlace } from "../preview/find-item.ts";
import { readArguments } from "../preview/read-arguments.ts";
import { type PreviewItem, readPreviewItem } from "../preview/read-item.ts";
import type { Project } from "../project/project.ts";
import { followFlow, followJob } from "../run/follow.ts";
import { type CompletedJob, describeFailure, startJob } from "../run/run-job.ts";
import { openSyncProject } from "../sync/session.ts";
import { formatSourceLine } from "./error-place.ts";
import { findSource } from "./find-source.ts";

/** Runs a script or flow from its files, and prints its log and its result. If the signal aborts it, its job is canceled. */
export async function previewOnSave(
  context: Context,
  location: PreviewPlace,
  { signal, onRead }: { signal: AbortSignal; onRead: (item: PreviewItem) => void },
): Promise<void> {
  const { output } = context;
  // The file svc.yaml may have changed as well.
  const { project, target } = openSyncProject(context);
  const item = await readPreviewItem(context, project, location);
  onRead(item);
  const args = readArguments(project, item.argumentsFile);
  const client = context.client(target);
  const start = await createPreview(client, item, { args, output });
  if (signal.aborted) return;
  const id = randomUUID();
  const { kind, path } = location;
  output.progress({ event: "started", kind, path, id }, `${output.style("bold", `${kind} ${path}`)}\n`);
  // This request is not aborted, because a job may exist before the reply arrives.
  await startJob(client, start, id);
  try {
    const watching = client.withSignal(signal);
    await (kind === "flow" ? followFlow : followJob)(context, watching, id);
    printEnd(context, project, item, await watching.call.jobs.getCompleted({ id }));
  } catch (error) {
    if (!signal.aborted) throw error;
    await client.call.jobs.cancel({ id, body: { reason: "canceled by svc dev" } }).catch(ignoreEnded);
    output.progress({ event: "canceled", kind, path, id }, `${kind} ${path} was canceled.\n`);
  }
}

/** The job may have ended in the meantime. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
}

function printEnd({ output }: Context, project: Project, item: PreviewItem, { id, success, result }: CompletedJob): void {
  const { kind, path } = item;
  const source = success ? undefined : findSource(project, item, readErrorText(result));
  if (output.json) output.line({ event: "ended", kind, path, id, success, result, ...(source ? { source } : {}) }, "");
  else if (success) output.value(result);
  else output.say([output.style("red", describeFailure(result)), ...(source ? [formatSourceLine(source)] : [])].join("\n"));
}

function readErrorText(result: unknown): string {
  const error = isJsonObject(result) ? result["error"] : undefined;
  if (!isJsonObject(error)) return "";
  return [error["message"], error["stack"]].filter((part) => typeof part === "string").join("\n");
}
