import { toInnerPath } from "../../core/sync/config/codebase.ts";
import type { DefaultTs } from "../../core/sync/files/extensions.ts";
import { placeOf } from "../../core/sync/files/file-place.ts";
import { itemKey } from "../../core/sync/item.ts";
import type { PreviewPlace } from "../preview/find-item.ts";
import { ARGUMENTS } from "../preview/read-arguments.ts";
import type { SnapshotItem } from "../project/snapshot-item.ts";

/** The files and folders from which the bundle of a script is built. */
export interface BundleParts {
  item: PreviewPlace;
  paths: readonly string[];
}

/** Returns the scripts and flows to which a changed file belongs: as one of their files, as their arguments, or as a part of their bundles. */
export function findAffectedItems(
  file: string,
  { defaultTs, bundles }: { defaultTs: DefaultTs; bundles: Iterable<BundleParts> },
): PreviewPlace[] {
  const owner = file.endsWith(ARGUMENTS) ? findByBase(file.slice(0, -ARGUMENTS.length), defaultTs) : findByFile(file, defaultTs);
  const isPart = ({ paths }: BundleParts) => paths.some((path) => file === path || file.startsWith(`${path}/`));
  const importing = [...bundles].filter(isPart).map(({ item }) => item);
  const found = new Map([...(owner ? [owner] : []), ...importing].map((item) => [itemKey(item), item]));
  return [...found.values()];
}

function findByFile(file: string, defaultTs: DefaultTs): PreviewPlace | undefined {
  const location = placeOf(file, { defaultTs });
  return location?.kind === "script" || location?.kind === "flow" ? { kind: location.kind, path: location.path } : undefined;
}

/** Finds the item of a file of arguments, which is named after the folder or the source of the item. */
const findByBase = (base: string, defaultTs: DefaultTs): PreviewPlace | undefined =>
  findByFile(`${base}/flow.yaml`, defaultTs) ?? findByFile(`${base}/script.yaml`, defaultTs) ?? findByFile(base, defaultTs);

/** Returns the inputs of a script's bundle other than packages. A bundler that does not report them may read the complete codebase. */
export function listBundleParts({ bundled, bundle }: Pick<SnapshotItem, "bundled" | "bundle">): string[] {
  if (bundled === undefined) return [];
  const { relative_path: folder, assets = [], customBundler } = bundled.codebase;
  const named = [...assets.map(({ from }) => from), ...(customBundler === undefined ? [] : [folder, customBundler])];
  // A colon marks code that is not a file.
  const imported = (bundle?.inputs ?? []).filter((path) => !path.includes(":") && !path.includes("node_modules/"));
  return [...imported, ...named.map((path) => toInnerPath(path) ?? path)];
}
