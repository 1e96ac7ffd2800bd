import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { toInnerPath } from "../../core/sync/config/codebase.ts";
import type { Codebase } from "../../core/sync/config/config.ts";
import type { FileProblem } from "../../core/sync/item.ts";
import { isInside } from "../project/links.ts";
import type { Project } from "../project/project.ts";

/** Paths in the archive of a bundle that are reserved for the service. */
const RESERVED = new Set(["main.js", "main.mjs"]);

/** Returns the problems of the paths of the codebases of `svc.yaml`. */
export function checkCodebases(project: Pick<Project, "root" | "config" | "describeProblem">): FileProblem[] {
  return (project.config.codebases ?? []).flatMap((codebase, index) =>
    listPaths(codebase).flatMap(({ at, path, kind }) => {
      const message = describePath(project.root, path, kind);
      return message === undefined ? [] : [project.describeProblem(["codebases", index, ...at], message)];
    }),
  );
}

interface NamedPath {
  at: readonly PropertyKey[];
  path: string;
  kind: "folder" | "file" | "any" | "place";
}

function listPaths({ relative_path: folder, customBundler, inject = [], assets = [] }: Codebase): NamedPath[] {
  return [
    { at: ["relative_path"], path: folder, kind: "folder" },
    ...(customBundler === undefined ? [] : [{ at: ["customBundler"], path: customBundler, kind: "file" } as const]),
    ...inject.map((path, index) => ({ at: ["inject", index], path, kind: "file" }) as const),
    ...assets.flatMap(({ from, to }, index) => [
      { at: ["assets", index, "from"], path: from, kind: "any" } as const,
      { at: ["assets", index, "to"], path: to, kind: "place" } as const,
    ]),
  ];
}

function describePath(root: string, path: string, kind: NamedPath["kind"]): string | undefined {
  const inner = toInnerPath(path);
  if (kind === "place") {
    if (inner === undefined) return `${path} leads out of the bundle. Name a place inside of it.`;
    return RESERVED.has(inner) ? `${path} is a file of the bundle itself. Name another place.` : undefined;
  }
  if (inner === undefined) return `${path} leads out of the folder of svc.yaml. Move it into the folder.`;
  const location = join(root, inner);
  const found = statSync(location, { throwIfNoEntry: false });
  if (!found || (kind === "file" && !found.isFile()) || (kind === "folder" && !found.isDirectory()))
    return `there is no ${kind === "any" ? "file or folder" : kind} ${path}. The path is relative to svc.yaml.`;
  return isInside(realpathSync(root), realpathSync(location)) ? undefined : `${path} is a link that leads out of the folder of svc.yaml.`;
}
