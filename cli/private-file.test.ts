import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makePrivateFolder, writePrivateFile } from "./private-file.ts";
import { readProfiles, writeProfiles } from "./profiles/profiles.ts";
import { writeLocalFile } from "./project/local-files.ts";
import { writeBase } from "./sync/state.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-private-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const modeOf = (path: string) => (statSync(join(folder, path)).mode & 0o777).toString(8);
const target = { url: "https://svc.example.com", workspace: "demo" };

/** The writes of files with secrets, and the paths that become private. */
const writes: [name: string, paths: string[], write: () => void][] = [
  ["a private file", ["file"], () => writePrivateFile(join(folder, "file"), "hush")],
  ["the profiles", ["config/", "config/profiles.json"], () => writeProfiles({ profiles: {} })],
  ["the state", [".svc/", ".svc/state.json"], () => writeBase(folder, target, new Map())],
  ["a pulled secret", ["f/key.variable.yaml"], () => writeLocalFile(folder, "f/key.variable.yaml", "hush", { isPrivate: true })],
];

it.each(writes)("%s is accessible to its owner only, even if others had rights before", (_, paths, write) => {
  vi.stubEnv("SVC_CONFIG_DIR", join(folder, "config"));
  const expected = paths.map((path) => (path.endsWith("/") ? "700" : "600"));
  write();
  expect(paths.map(modeOf)).toEqual(expected);
  for (const path of paths) chmodSync(join(folder, path), path.endsWith("/") ? 0o755 : 0o644);
  write();
  expect(paths.map(modeOf)).toEqual(expected);
});

it("a private file replaces a link and leaves no other file", () => {
  writeFileSync(join(folder, "other"), "before");
  symlinkSync("other", join(folder, "file"));
  writePrivateFile(join(folder, "file"), "hush");
  expect(readFileSync(join(folder, "other"), "utf8")).toBe("before");
  expect(readdirSync(folder).sort()).toEqual(["file", "other"]);
  mkdirSync(join(folder, "taken"));
  expect(() => writePrivateFile(join(folder, "taken"), "hush")).toThrow();
  expect(readdirSync(folder).sort()).toEqual(["file", "other", "taken"]);
});

it("a private folder keeps its files", () => {
  writeFileSync(join(folder, "file"), "text");
  chmodSync(folder, 0o755);
  makePrivateFolder(folder);
  expect([modeOf("."), readFileSync(join(folder, "file"), "utf8")]).toEqual(["700", "text"]);
});

it("profiles can be read after they were written", () => {
  vi.stubEnv("SVC_CONFIG_DIR", join(folder, "config"));
  const profile = { url: "https://svc.example.com", workspace: "demo", token: "t" };
  writeProfiles({ active: "demo", profiles: { demo: profile } });
  expect(readProfiles().profiles["demo"]).toEqual(profile);
});
