import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Codebase } from "../../core/sync/config/config.ts";
import { checkCodebases } from "./check-codebases.ts";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "svc-check-codebases-"));
  mkdirSync(join(root, "f/a"), { recursive: true });
  writeFileSync(join(root, "bundler.mjs"), "");
  symlinkSync("/etc", join(root, "f/link"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const problemsOf = (codebase: Partial<Codebase>) =>
  checkCodebases({
    root,
    config: { codebases: [{ relative_path: "f/a", ...codebase }] },
    describeProblem: (path, message) => ({ file: "svc.yaml", message: `${path.slice(2).join(".")}: ${message}` }),
  }).map(({ message }) => message);

describe("checkCodebases", () => {
  it("accepts paths in the project", () => {
    const assets = [
      { from: "./f/a", to: "." },
      { from: "bundler.mjs", to: "deep/bundler.mjs" },
    ];
    expect(problemsOf({ relative_path: ".", customBundler: "./bundler.mjs", inject: ["bundler.mjs"], assets })).toEqual([]);
  });

  it.each<[string, Partial<Codebase>, string]>([
    ["a folder outside", { relative_path: "../x" }, "relative_path: ../x leads out of the folder of svc.yaml. Move it into the folder."],
    ["a folder that is a link", { relative_path: "f/link" }, "relative_path: f/link is a link that leads out of the folder of svc.yaml."],
    ["a folder that does not exist", { relative_path: "f/b" }, "relative_path: there is no folder f/b. The path is relative to svc.yaml."],
    [
      "a file as folder",
      { relative_path: "bundler.mjs" },
      "relative_path: there is no folder bundler.mjs. The path is relative to svc.yaml.",
    ],
    [
      "a bundler that does not exist",
      { customBundler: "gone.mjs" },
      "customBundler: there is no file gone.mjs. The path is relative to svc.yaml.",
    ],
    [
      "an injected file that does not exist",
      { inject: ["gone.ts"] },
      "inject.0: there is no file gone.ts. The path is relative to svc.yaml.",
    ],
    [
      "an asset that does not exist",
      { assets: [{ from: "gone", to: "x" }] },
      "assets.0.from: there is no file or folder gone. The path is relative to svc.yaml.",
    ],
    [
      "a place outside of the bundle",
      { assets: [{ from: "f", to: "../x" }] },
      "assets.0.to: ../x leads out of the bundle. Name a place inside of it.",
    ],
    [
      "a place of the bundle itself",
      { assets: [{ from: "f", to: "main.js" }] },
      "assets.0.to: main.js is a file of the bundle itself. Name another place.",
    ],
  ])("refuses %s", (_name, codebase, message) => {
    expect(problemsOf(codebase)).toEqual([message]);
  });
});
