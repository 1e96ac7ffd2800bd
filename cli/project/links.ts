import { lstatSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { CommandError } from "../errors.ts";

/** Names that contain no items: hidden files, such as those of git, and installed packages. */
export const isSkipped = (name: string): boolean => name.startsWith(".") || name === "node_modules";

/** Returns whether a real path is equal to the real path of a folder, or below it. */
export const isInside = (realRoot: string, realPath: string): boolean => realPath === realRoot || realPath.startsWith(`${realRoot}${sep}`);

/** Returns whether a real path is below the real path of a folder, and no part of it is hidden or a package. */
export const isOwnFile = (realRoot: string, realPath: string): boolean =>
  realPath !== realRoot && isInside(realRoot, realPath) && !relative(realRoot, realPath).split(sep).some(isSkipped);

/** Returns whether a link leads to a file that a project may publish: below the root, and neither hidden nor a part of a package. */
export function leadsToItem(link: string, realRoot: string): boolean {
  try {
    return isOwnFile(realRoot, realpathSync(link));
  } catch {
    return false;
  }
}

/**
 * Returns the location of a file that belongs to `svc` or that `svc` writes. `path`: from the root, with `/` between the parts. With a link in
 * place of the file or of one of its folders, a repository could make `svc` read or replace any file of the person. Throws `CommandError` for a
 * link.
 */
export function placeWithoutLinks(root: string, path: string): string {
  let location = root;
  for (const part of path.split("/")) {
    location = join(location, part);
    if (lstatSync(location, { throwIfNoEntry: false })?.isSymbolicLink()) {
      const name = relative(root, location).split(sep).join("/");
      throw new CommandError(
        `${name} is a link, and svc neither reads nor writes through a link there. Replace it by a file or folder, or remove it.`,
      );
    }
  }
  return location;
}
