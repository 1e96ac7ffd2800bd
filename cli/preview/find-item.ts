import { statSync } from "node:fs";
import { resolve } from "node:path";
import { placeOf } from "../../core/sync/files/file-place.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { type Project, toProjectPath } from "../project/project.ts";
import { toLayout } from "../project/snapshots.ts";

/** A script or a flow of a project. */
export interface PreviewPlace {
  kind: "script" | "flow";
  path: string;
}

/** Finds the script or flow to which a file or a folder belongs. Throws `UsageError`. */
export function findPreviewItem(context: Context, project: Project, kind: PreviewPlace["kind"], file: string): PreviewPlace {
  const found = statSync(resolve(context.cwd, file), { throwIfNoEntry: false });
  if (!found) throw new UsageError(`${file} does not exist.`);
  const path = toProjectPath(project, context.cwd, file);
  const location = placeOf(found.isDirectory() ? `${path}/${kind}.yaml` : path, toLayout(project));
  if (location?.kind !== kind) throw new UsageError(`${file} is not a file of a ${kind} below f/ or u/ of the project.`);
  return { kind, path: location.path };
}
