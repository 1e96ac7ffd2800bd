import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bundle } from "../compute/bundles/bundle.ts";
import { carried, putInterpreters } from "../compute/bundles/interpreters.ts";
import { carriesInterpreters, type StackConfig } from "../config.ts";

/** The folder of the package with the bundles, what pins the interpreters, and the list of the bundles. `pack.ts` writes it. */
export const ASSETS = "assets";
export const LIST = "bundles.json";
/** The JavaScript part of esbuild, which `build` needs. A package contains no `node_modules`. */
export const ESBUILD = "esbuild";

export interface PackedBundles {
  /** Identifies the content of the package. */
  digest: string;
  bundles: Omit<Bundle, "directory">[];
}

/**
 * Returns the bundles of the package that this module is in. Interpreters are downloaded once, and put into copies of the bundles below `.svc` of the
 * current folder, which is that of the user's app: the package remains as it was installed. Throws an error in a checkout.
 */
export function findBundles(config: StackConfig): Bundle[] {
  const assets = join(import.meta.dirname, ASSETS);
  if (!existsSync(join(assets, LIST)))
    throw new Error("The functions are not bundled. Install the package that npm run package builds, or pass bundles.");
  const { digest, bundles } = JSON.parse(readFileSync(join(assets, LIST), "utf8")) as PackedBundles;
  const packed = bundles.map((bundle) => ({ ...bundle, directory: join(assets, bundle.kind, bundle.name) }));
  if (!carriesInterpreters(config)) return packed;
  const work = join(process.cwd(), ".svc");
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, ".gitignore"), "*\n");
  // Placeholders are never deployed.
  const copies = join(work, "assets", `${digest}-${config.arch}${config.skipInterpreters ? "-checked" : ""}`);
  const complete = packed.map((bundle) => {
    const bundlePath = `${bundle.kind}/${bundle.name}`;
    if ((carried[bundlePath] ?? []).length === 0) return bundle;
    const directory = join(copies, bundlePath);
    cpSync(bundle.directory, directory, { recursive: true });
    return { ...bundle, directory };
  });
  putInterpreters(assets, config, complete, { cache: join(work, "cache"), esbuild: join(assets, ESBUILD) });
  return complete;
}
