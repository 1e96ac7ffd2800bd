import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packClients } from "../../../clients/pack.ts";
import { CLIENT_PACKAGE } from "../../../contract/deployment/client-packages.ts";
import { unpackPackage } from "../cli/unpack-package.ts";

/** Installs the package of the TypeScript client that deployments serve: a folder with the package in `node_modules`, and the paths of its files. */
export async function installTypescriptClient(): Promise<{ dir: string; files: string[] }> {
  const dir = mkdtempSync(join(tmpdir(), "svc-client-package-"));
  await packClients(join(dir, "packages"));
  const files = await unpackPackage(
    readFileSync(join(dir, "packages", `${CLIENT_PACKAGE}.tgz`)),
    join(dir, "node_modules", CLIENT_PACKAGE),
  );
  // Deno resolves packages only next to a package.json that lists them.
  writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module", dependencies: { [CLIENT_PACKAGE]: "*" } }));
  return { dir, files: files.sort() };
}
