import { describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { aTar } from "../../test/builders/tar.ts";
import { readBundleFiles } from "./bundle.ts";
import { readTar, TarProblem } from "./tar.ts";

const read = (archive: Uint8Array) => readTar(archive).map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]);
const pax = (path: string) => {
  const record = ` path=${path}\n`;
  const length = String(record.length + 2).length + record.length;
  return { path: "pax", type: "x", content: `${length}${record}` };
};

describe("readTar", () => {
  it("returns the files, also those with long paths", () => {
    const long = `${"d/".repeat(60)}file.txt`;
    const archive = aTar([
      { path: "./", type: "5" },
      { path: "./main.js", content: "main" },
      { path: "assets/", type: "5" },
      { path: "assets/ä.txt", content: "x".repeat(513) },
      { path: "empty" },
      { path: "pax", type: "g", content: "20 comment=anything\n" },
      pax(long),
      { path: "short", content: "pax" },
      { path: "././@LongLink", type: "L", content: `${long}.gnu\0` },
      { path: "short", content: "gnu", type: "\0" },
    ]);
    expect(read(archive)).toEqual([
      ["main.js", "main"],
      ["assets/ä.txt", "x".repeat(513)],
      ["empty", ""],
      [long, "pax"],
      [`${long}.gnu`, "gnu"],
    ]);
    expect(read(Buffer.alloc(0))).toEqual([]);
  });

  it.each([
    ["../main.js", { path: "../main.js" }],
    ["a path that leaves the folder later", { path: "a/../../main.js" }],
    ["an absolute path", { path: "/etc/passwd" }],
    ["a path with a backslash", { path: "a\\..\\b" }],
    ["a path of Windows", { path: "C:/a" }],
    ["a path with a line break", { path: "a\nb" }],
    ["an empty part", { path: "a//b" }],
    ["a symbolic link", { path: "a", type: "2", link: "/etc/passwd" }],
    ["a hard link", { path: "a", type: "1", link: "main.js" }],
    ["a device", { path: "a", type: "3" }],
    ["a pipe", { path: "a", type: "6" }],
    ["an unknown kind", { path: "a", type: "S" }],
    ["a file that is cut", { path: "a", content: "short", size: 5000 }],
    ["a size beyond the archive", { path: "a", size: 0o77777777777 }],
  ])("refuses %s", (_, entry) => {
    expect(() => readTar(aTar([entry]))).toThrow(TarProblem);
  });

  it("refuses paths of extended headers by the same rules", () => {
    for (const path of ["../a", "/a", "a/../../b"]) expect(() => readTar(aTar([pax(path), { path: "ok" }]))).toThrow(TarProblem);
    expect(() => readTar(aTar([{ path: "././@LongLink", type: "L", content: "../a\0" }, { path: "ok" }]))).toThrow(TarProblem);
  });

  it("refuses a path that occurs twice, or that is both a file and a folder", () => {
    expect(() => readTar(aTar([{ path: "a" }, { path: "./a" }]))).toThrow("twice");
    expect(() => readTar(aTar([{ path: "a/b/c" }, { path: "a" }]))).toThrow("both a file and a folder");
  });

  it("refuses very many entries", () => {
    const entries = Array.from({ length: limits.bundleFiles + 1 }, (_, at) => ({ path: `d${at}/`, type: "5" }));
    expect(() => readTar(aTar(entries))).toThrow("entries");
    expect(readTar(aTar(entries.slice(1)))).toEqual([]);
  });

  it("refuses bytes that are not an archive", () => {
    for (const text of ["x".repeat(600), "export const main = () => 1;".padEnd(2000), "\u001f\u008b".repeat(400)])
      expect(() => readTar(Buffer.from(text, "latin1"))).toThrow("not a tar archive");
    const damaged = aTar([{ path: "a" }]);
    damaged[0] = 98;
    expect(() => readTar(damaged)).toThrow("not a tar archive");
  });
});

describe("the files of a bundle", () => {
  it("are one source, or those of an archive with main.js", () => {
    expect(readBundleFiles(Buffer.from("x"), { tar: false })).toEqual([{ path: "main.js", bytes: Buffer.from("x") }]);
    expect(readBundleFiles(aTar([{ path: "main.js" }, { path: "a.txt" }]), { tar: true })).toHaveLength(2);
    expect(() => readBundleFiles(aTar([{ path: "index.js" }]), { tar: true })).toThrow("main.js");
    expect(() => readBundleFiles(aTar([{ path: "main.js" }, { path: "main.mjs" }]), { tar: true })).toThrow("main.mjs");
    expect(() => readBundleFiles(Buffer.alloc(0), { tar: true })).toThrow("main.js");
  });
});
