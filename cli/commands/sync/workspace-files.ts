import { placeOf } from "../../../core/sync/files/file-place.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { toProjectPath } from "../../project/project.ts";
import { readProjectFiles, toLayout } from "../../project/snapshots.ts";
import { saveItem } from "../../sync/push/apply.ts";
import { openSyncProject } from "../../sync/session.ts";
import { runPull, runPush, type SyncFlags } from "./sync.ts";

const lists = new Set(["dependencies"]);
const settings = new Set(["settings"]);

/** Makes the lists of package versions in the workspace equal to the files, or saves only the given one. */
export async function pushDependencies(context: Context, file: string | undefined, flags: SyncFlags): Promise<void> {
  if (file === undefined) return runPush(context, flags, lists);
  const { project, target } = openSyncProject(context);
  const path = toProjectPath(project, context.cwd, file);
  const location = placeOf(path, toLayout(project));
  if (location?.kind !== "dependencies") throw new UsageError(`${file} is not a list of package versions in the folder dependencies.`);
  const value = readProjectFiles(project).files.get(path);
  if (value === undefined) throw new UsageError(`${file} does not exist.`);
  await saveItem(context.client(target), { ...location, value }, undefined, { plainSecrets: false });
  context.output.say(`The list ${location.path} was saved.`);
}

export const pullSettings = (context: Context, flags: SyncFlags): Promise<void> => runPull(context, flags, settings);

export const pushSettings = (context: Context, flags: SyncFlags): Promise<void> => runPush(context, flags, settings);
