import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ApiClient } from "../api/client.ts";
import { hasLockFile, readLockFile, writeLockFile } from "../metadata/lock-file.ts";
import { readArguments } from "../preview/read-arguments.ts";
import { loadArchive } from "../sync/archive-store.ts";
import { writePlanFile } from "../sync/plan-file.ts";
import { readLastUndo } from "../sync/push/undo.ts";
import { makeStateFolder, readBase, writeBase } from "../sync/state.ts";
import { readLocalFiles, removeLocalFile, writeLocalFile } from "./local-files.ts";
import { openProject } from "./project.ts";

let folder: string;
let root: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-links-"));
  root = join(folder, "project");
  mkdirSync(join(root, "f"), { recursive: true });
  mkdirSync(join(folder, "outside"));
  // The target of a link has content that svc would accept.
  writeFileSync(join(folder, "outside/file"), "{}");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const link = (path: string, target: "file" | "folder") => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  symlinkSync(join(folder, "outside", target === "file" ? "file" : ""), join(root, path));
};
/** Returns the target of the link, and the files around it. */
const outside = () => [readdirSync(folder), readdirSync(join(folder, "outside")), readFileSync(join(folder, "outside/file"), "utf8")];

const target = { url: "https://svc.example.com", workspace: "demo", token: "t", source: "svc.yaml" };
const client = new ApiClient({ url: "http://127.0.0.1:9", token: "t", workspace: "demo" });

/** Everything that svc reads or writes in a repository, replaced by a link. */
const accesses: [path: string, kind: "file" | "folder", name: string, access: () => unknown][] = [
  [".svc", "folder", "the read of the state", () => readBase(root, target)],
  [".svc", "folder", "the write of the state", () => writeBase(root, target, new Map())],
  [".svc/state.json", "file", "the read of the state", () => readBase(root, target)],
  [".svc/state.json", "file", "the write of the state", () => writeBase(root, target, new Map())],
  [".svc/.gitignore", "file", "the creation of .svc", () => makeStateFolder(root)],
  [".svc/types/svc-client", "folder", "the write of types", () => makeStateFolder(root, "types", "svc-client")],
  [".svc/undo", "folder", "the read of the last push", () => readLastUndo(root)],
  [".svc/archives", "folder", "the read of an archive", () => loadArchive(client, root, {})],
  ["svc-lock.yaml", "file", "the search for hashes", () => hasLockFile(root)],
  ["svc-lock.yaml", "file", "the read of hashes", () => readLockFile(root)],
  ["svc-lock.yaml", "file", "the write of hashes", () => writeLockFile(root, new Map())],
  ["f/a.ts.args.json", "file", "the read of arguments", () => readArguments({ root }, "f/a.ts.args.json")],
  ["svc.yaml", "file", "the read of svc.yaml", () => openProject(root, {})],
  ["plan.json", "file", "the write of a plan", () => writePlanFile({ root }, join(root, "plan.json"), target, [])],
  ["f/a", "folder", "the write of an item", () => writeLocalFile(root, "f/a/b.ts", "x")],
  ["f/a/b.ts", "file", "the write of an item", () => writeLocalFile(root, "f/a/b.ts", "x")],
  ["f/a", "folder", "the deletion of an item", () => removeLocalFile(root, "f/a/file")],
];

describe("a link", () => {
  it.each(accesses)("in place of %s (%s) stops %s", async (path, kind, _, access) => {
    link(path, kind);
    const before = outside();
    await expect((async () => access())()).rejects.toThrow(`${path} is a link, and svc neither reads nor writes through a link there.`);
    expect(outside()).toEqual(before);
  });

  it("without a target is not followed by a write", () => {
    symlinkSync(join(folder, "outside/new"), join(root, "f/new.ts"));
    expect(() => writeLocalFile(root, "f/new.ts", "x")).toThrow("f/new.ts is a link");
    expect(readdirSync(join(folder, "outside"))).toEqual(["file"]);
  });

  it.each([["../../outside/file"], ["../.env"], ["../node_modules/a.ts"], ["../.git/config"]])(
    "to %s is reported as a problem of the file",
    (to) => {
      for (const name of [".env", "node_modules/a.ts", ".git/config"]) {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), "hush");
      }
      writeFileSync(join(root, "f/b.ts"), "shared");
      symlinkSync(to, join(root, "f/a.ts"));
      symlinkSync("b.ts", join(root, "f/c.ts"));
      const { files, problems } = readLocalFiles(root);
      expect(problems).toEqual([{ file: "f/a.ts", message: "This link leads out of the folder of svc.yaml, or to a hidden file." }]);
      expect([...files]).toEqual([
        ["f/b.ts", "shared"],
        ["f/c.ts", "shared"],
      ]);
    },
  );
});

/** The modules that change files. Each of them gets its paths from `placeWithoutLinks` or writes outside repositories. */
const WRITERS = [
  "backup/working-folder.ts",
  "build.ts",
  "commands/project/init.ts",
  "dev/write-types.ts",
  "private-file.ts",
  "project/local-files.ts",
  "sync/plan-file.ts",
  "sync/push/undo.ts",
  "sync/state.ts",
];

it("only modules that are known to refuse links write files", () => {
  const cli = dirname(import.meta.dirname);
  const names = readdirSync(cli, { recursive: true, encoding: "utf8" }).filter(
    (name) => /(?<!\.test)\.ts$/.test(name) && !/node_modules|dist/.test(name),
  );
  const changing =
    /\b(?:writeFile|appendFile|mkdir|copyFile|cp|rename|rm|rmdir|unlink|chmod|symlink|link|truncate|createWriteStream)(?:Sync)?\(/;
  expect(names.filter((name) => changing.test(readFileSync(join(cli, name), "utf8"))).sort()).toEqual(WRITERS);
});
