import { defined } from "../../contract/defined.ts";
import { findBundledLanguage, findCodebases, readBundleDigest, withoutBundleDigest } from "../../core/sync/config/codebase.ts";
import type { Codebase } from "../../core/sync/config/config.ts";
import { digestItem, type ItemDigest } from "../../core/sync/digest.ts";
import { placeOf } from "../../core/sync/files/file-place.ts";
import type { FileMap, LayoutOptions } from "../../core/sync/files/layout.ts";
import type { SyncItem } from "../../core/sync/item.ts";
import type { Bundle } from "../codebases/bundle.ts";
import type { Project } from "./project.ts";

/** An item with its digest and its files, under their names on disk. */
export interface SnapshotItem {
  item: SyncItem;
  digest: ItemDigest;
  files: FileMap;
  /** The location of a script in a codebase. */
  bundled?: BundledPlace;
  /** The bundle of a local script, once it is built. */
  bundle?: Bundle;
}

/** The file of a script's source, and the codebase that bundles it. */
export interface BundledPlace {
  source: string;
  codebase: Codebase;
}

/**
 * Returns the location of a script in a codebase, or `undefined`. If several codebases contain it, which is a problem of `svc.yaml`, the first
 * one counts.
 */
export function findCodebase(
  item: SyncItem,
  makeFiles: () => FileMap,
  { config }: Pick<Project, "config">,
  layout: LayoutOptions,
): BundledPlace | undefined {
  if (config.codebases === undefined || findBundledLanguage(item) === undefined) return undefined;
  const source = [...makeFiles().keys()].find((file) => placeOf(file, layout)?.part === "source");
  const [index] = source === undefined ? [] : findCodebases(source, config.codebases);
  const codebase = index === undefined ? undefined : config.codebases[index];
  return source === undefined || codebase === undefined ? undefined : { source, codebase };
}

/**
 * Describes an item. The digest of the bundle of a script in a codebase is compared apart from its files. Most items are the same on both sides,
 * so the texts of the files are created on demand.
 */
export function describeItem(item: SyncItem, makeFiles: () => FileMap, bundled: BundledPlace | undefined): SnapshotItem {
  let files: FileMap | undefined;
  return {
    item,
    digest: bundled ? digestBundled(item) : digestItem(item),
    get files() {
      files ??= makeFiles();
      return files;
    },
    ...defined({ bundled }),
  };
}

function digestBundled(item: SyncItem): ItemDigest {
  const bundle = readBundleDigest(item);
  return { ...digestItem(withoutBundleDigest(item)), ...(bundle ? { bundle } : {}) };
}
