import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { bundleAll } from "../lib/compute/bundles/bundle.ts";
import { writePackage } from "../lib/package/pack.ts";
import { writeTypes } from "../lib/package/types.ts";

/** `npm run package`: builds the package with the construct in `dist/package`, and its archive in `dist`. */
const root = join(import.meta.dirname, "..");
const out = join(root, "dist/package");
await writePackage(root, out, await bundleAll(root, join(root, "dist/packed")));
writeTypes(root, out);
execFileSync("npm", ["pack", out, "--pack-destination", join(root, "dist"), "--ignore-scripts", "--silent"], {
  stdio: ["ignore", "inherit", "inherit"],
});
