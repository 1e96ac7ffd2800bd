import { expect, it } from "vitest";
import { parentsOf, readFolder, toFolder } from "./folder.ts";

/** A storage as the service lists it: sorted keys after a marker, in pages. */
function storageOf(keys: string[], isVisible = (_key: string) => true, perPage = 3) {
  const requests: (string | undefined)[] = [];
  const list = async (prefix: string, marker: string | undefined) => {
    requests.push(marker);
    const found = keys.filter((key) => key.startsWith(prefix) && (marker === undefined || key > marker)).sort();
    const page = found.slice(0, perPage);
    return {
      files: page.filter(isVisible).map((s3) => ({ s3, size_in_bytes: 1 })),
      ...(found.length > perPage ? { next_marker: page.at(-1) } : {}),
    };
  };
  return { list, requests };
}
const top = { folder: "", search: "", after: undefined };

it("a folder with many files costs one request", async () => {
  const { list, requests } = storageOf([...Array.from({ length: 1000 }, (_, at) => `logs/${at}`), "a", "z"]);
  const part = await readFolder(top, list);
  expect(part).toMatchObject({ folders: ["logs/"], files: [{ key: "a" }, { key: "z" }], next: undefined });
  expect(requests).toHaveLength(2);
});

it("a search finds the names that begin with it, in one folder", async () => {
  const { list } = storageOf(["f/ops/may.csv", "f/ops/may/1", "f/ops/june.csv", "f/other/may.csv"]);
  const part = await readFolder({ folder: "f/ops/", search: "may", after: undefined }, list);
  expect(part).toMatchObject({ folders: ["f/ops/may/"], files: [{ key: "f/ops/may.csv" }] });
});

it("a page on which everything is hidden is not the end", async () => {
  const { list } = storageOf(["f/secret/1", "f/secret/2", "f/secret/3", "f/secret/4", "g"], (key) => key === "g");
  expect(await readFolder(top, list)).toMatchObject({ folders: [], files: [{ key: "g" }], next: undefined });
});

it("a part ends after a hundred entries, and the next one continues behind them", async () => {
  const keys = Array.from({ length: 150 }, (_, at) => `file-${String(at).padStart(3, "0")}`);
  const { list } = storageOf(keys, undefined, 50);
  const first = await readFolder(top, list);
  expect([first.files.length, first.next]).toEqual([100, "file-099"]);
  const second = await readFolder({ ...top, after: first.next }, list);
  expect([second.files.length, second.next]).toEqual([50, undefined]);
});

it("a folder has its parents, and one slash at its end", () => {
  expect(parentsOf("a/b/")).toEqual(["a/", "a/b/"]);
  expect(parentsOf("")).toEqual([]);
  expect([toFolder(" /a/b"), toFolder("a/"), toFolder("/"), toFolder("")]).toEqual(["a/b/", "a/", "", ""]);
});
