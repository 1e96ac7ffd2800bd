import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

export interface PackageFolder {
  /** Relative to the folder that contains `node_modules`. */
  path: string;
  name: string;
  /** The packages that it may load, of any kind. */
  dependencies: string[];
  /** The package finds files by their location relative to its code, so it cannot be bundled. */
  unbundlable: boolean;
}

interface Manifest {
  name?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** Lists all installed packages, including nested ones. */
export async function listPackageFolders(nodeModules: string): Promise<PackageFolder[]> {
  const root = dirname(nodeModules);
  const found: PackageFolder[] = [];
  const visit = async (folder: string, owner: PackageFolder | undefined): Promise<void> => {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isFile() && owner && /\.(node|wasm)$/.test(entry.name)) owner.unbundlable = true;
      if (!entry.isDirectory() || entry.name === ".bin" || entry.name === ".cache") continue;
      const isPackage = /(^|\/)node_modules\/(@[^/]+\/)?[^/@][^/]*$/.test(path);
      await visit(path, isPackage ? await readPackage(root, path, found) : owner);
    }
  };
  await visit("node_modules", undefined);
  return found;
}

async function readPackage(root: string, path: string, found: PackageFolder[]): Promise<PackageFolder> {
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const manifest = await readFile(join(root, path, "package.json"), "utf8").then(parseManifest, () => ({}) as Manifest);
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  const folder = {
    path,
    name,
    dependencies: Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }),
    unbundlable: false,
  };
  found.push(folder);
  return folder;
}

function parseManifest(text: string): Manifest {
  try {
    return JSON.parse(text) as Manifest;
  } catch {
    // A package with an unreadable manifest has no dependencies to follow.
    return {};
  }
}

/**
 * Selects the packages that are not bundled. `external` contains the names that the bundle does not resolve: packages with such files, and
 * packages that load those. `kept` contains the folders to copy into the artefact, with all their dependencies.
 */
export async function selectUnbundledPackages(folders: PackageFolder[], all: boolean): Promise<{ external: string[]; kept: string[] }> {
  const native = new Set(folders.filter((folder) => folder.unbundlable).map((folder) => folder.name));
  const loads = (folder: PackageFolder) => folder.dependencies.some((name) => native.has(name));
  const external = new Set(folders.filter((folder) => all || folder.unbundlable || loads(folder)).map((folder) => folder.name));
  const needed = new Set(external);
  // The loop also visits elements that are added during the iteration.
  for (const name of needed) {
    for (const folder of folders) if (folder.name === name) for (const dependency of folder.dependencies) needed.add(dependency);
  }
  const kept = folders.filter((folder) => needed.has(folder.name)).map((folder) => folder.path);
  const outermost = kept.filter((path) => !kept.some((other) => path !== other && path.startsWith(`${other}/`)));
  return { external: [...external].sort(), kept: outermost };
}
