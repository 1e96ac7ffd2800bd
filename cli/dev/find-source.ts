import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join } from "node:path";
import { defined } from "../../contract/defined.ts";
import { placeOf } from "../../core/sync/files/file-place.ts";
import { readInlineNames } from "../../core/sync/files/parse-files.ts";
import { MAIN } from "../codebases/bundle.ts";
import type { PreviewItem } from "../preview/read-item.ts";
import type { Project } from "../project/project.ts";
import { toLayout } from "../project/snapshots.ts";
import { type ErrorPlace, listErrorPlaces, type SourcePlace } from "./error-place.ts";

/** Finds the local file and the line that caused an error. The service names scripts by their paths, and a bundle by one name for all of its files. */
export function findSource(project: Pick<Project, "root" | "options">, item: PreviewItem, error: string): SourcePlace | undefined {
  for (const location of listErrorPlaces(error)) {
    const found = location.file === MAIN ? fromBundle(item, location) : fromScript(project, item, location);
    if (found === undefined) continue;
    const text = readText(project.root, found.file)?.split("\n")[found.line - 1];
    return { ...found, ...defined({ text }) };
  }
  return undefined;
}

function fromBundle({ local: { bundle } }: PreviewItem, { line, column = 1 }: ErrorPlace): ErrorPlace | undefined {
  if (bundle?.sourceMap === undefined) return undefined;
  const entry = new SourceMap(JSON.parse(bundle.sourceMap) as ConstructorParameters<typeof SourceMap>[0]).findEntry(line - 1, column - 1);
  if (!("originalSource" in entry) || entry.originalSource === undefined) return undefined;
  return { file: entry.originalSource, line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

function fromScript(project: Pick<Project, "options">, item: PreviewItem, location: ErrorPlace): ErrorPlace | undefined {
  const path = location.file.replace(/\.[^./]+$/, "");
  const layout = toLayout(project);
  const isSource = (file: string) => {
    const found = placeOf(file, layout);
    return found?.kind === "script" && found.part === "source" && found.path === path;
  };
  const file = findInlineScript(item, path) ?? [...item.projectFiles.keys()].find(isSource);
  return file === undefined ? undefined : { ...location, file };
}

/** The service names an inline script after the flow and the step. */
function findInlineScript({ kind, path, local: { files } }: PreviewItem, name: string): string | undefined {
  if (kind !== "flow" || !name.startsWith(`${path}/`)) return undefined;
  const main = [...files.keys()].find((file) => file.endsWith("/flow.yaml"));
  if (main === undefined) return undefined;
  const file = readInlineNames({ kind }, files.get(main) ?? "").get(name.slice(path.length + 1));
  return file && main.replace(/flow\.yaml$/, file);
}

function readText(root: string, file: string): string | undefined {
  try {
    return readFileSync(join(root, file), "utf8");
  } catch {
    // A file of a package that was bundled elsewhere, or a file that no longer exists.
    return undefined;
  }
}
