import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { missingPackages } from "./packages.mjs";

let root;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "packages-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const lockedPackages = {
  "": { version: "1.0.0" },
  "node_modules/a": { version: "1.0.0", integrity: "x" },
  "node_modules/bun-linux": { version: "2.0.0", optional: true, os: ["linux"], cpu: ["x64"] },
  "node_modules/bun-mac": { version: "2.0.0", optional: true, os: ["darwin"] },
  "node_modules/only-below-mac": { version: "3.0.0", optional: true },
};

function locked(packages) {
  writeFileSync(path.join(root, "package-lock.json"), JSON.stringify({ packages }));
}
function installed(packages) {
  mkdirSync(path.join(root, "node_modules"), { recursive: true });
  writeFileSync(path.join(root, "node_modules", ".package-lock.json"), JSON.stringify({ packages }));
}

describe("missingPackages", () => {
  it("names everything before the first install", () => {
    locked(lockedPackages);
    expect(missingPackages(root, "linux", "x64")).not.toEqual([]);
  });

  it("is empty when all that belongs on this platform is there", () => {
    locked(lockedPackages);
    installed({ "node_modules/a": lockedPackages["node_modules/a"], "node_modules/bun-linux": lockedPackages["node_modules/bun-linux"] });
    expect(missingPackages(root, "linux", "x64")).toEqual([]);
    expect(missingPackages(root, "darwin", "arm64")).toEqual(["node_modules/bun-mac"]);
  });

  it("names a package whose version or content in the lock file changed", () => {
    locked(lockedPackages);
    installed({
      "node_modules/a": { version: "0.9.0", integrity: "x" },
      "node_modules/bun-linux": lockedPackages["node_modules/bun-linux"],
    });
    expect(missingPackages(root, "linux", "x64")).toEqual(["node_modules/a"]);
    installed({
      "node_modules/a": { version: "1.0.0", integrity: "y" },
      "node_modules/bun-linux": lockedPackages["node_modules/bun-linux"],
    });
    expect(missingPackages(root, "linux", "x64")).toEqual(["node_modules/a"]);
  });
});
