import type { Context } from "../../context.ts";
import { createPreview } from "../../preview/create-preview.ts";
import { findPreviewItem } from "../../preview/find-item.ts";
import { readArguments } from "../../preview/read-arguments.ts";
import { readPreviewItem } from "../../preview/read-item.ts";
import { runJob } from "../../run/run-job.ts";
import { openSyncProject } from "../../sync/session.ts";

interface PreviewFlags {
  data?: Record<string, unknown>;
  silent?: boolean;
}

export const previewScript = (context: Context, file: string, flags: PreviewFlags): Promise<number> =>
  preview(context, "script", file, flags);
export const previewFlow = (context: Context, file: string, flags: PreviewFlags): Promise<number> => preview(context, "flow", file, flags);

/** Runs a script or a flow from its files. Without arguments, those of the adjacent file are used. */
async function preview(context: Context, kind: "script" | "flow", file: string, { data, silent }: PreviewFlags): Promise<number> {
  const { project, target } = openSyncProject(context);
  const item = await readPreviewItem(context, project, findPreviewItem(context, project, kind, file));
  const args = data ?? readArguments(project, item.argumentsFile);
  const client = context.client(target);
  const start = await createPreview(client, item, { args, output: context.output });
  return runJob(context, start, { silent: silent ?? false, client });
}
