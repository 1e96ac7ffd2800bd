import { expect, it } from "vitest";
import { createFileLink, isValidFileLink } from "./file-link.ts";

const key = { version: 3, key: Buffer.alloc(32, 1) };
const file = { workspace: "ws", storage: "_default_", fileKey: "a/b.txt" };
const link = createFileLink(key, { ...file, untilS: 100 });

it("a link shows its own file until it expires, and no other file", () => {
  expect(isValidFileLink(key, link, file, 99_999)).toBe(true);
  expect(isValidFileLink(key, link, file, 100_000)).toBe(false);
  for (const other of [{ workspace: "x" }, { storage: "x" }, { fileKey: "a/c.txt" }]) {
    expect(isValidFileLink(key, link, { ...file, ...other }, 0)).toBe(false);
  }
});

it("a link that was changed, or created with another key, is invalid", () => {
  for (const bad of [
    "",
    "x",
    link.replace("100", "999"),
    link.replace(".3.", ".4."),
    `${link}x`,
    createFileLink({ ...key, key: Buffer.alloc(32, 2) }, { ...file, untilS: 100 }),
  ]) {
    expect(isValidFileLink(key, bad, file, 0)).toBe(false);
  }
  expect(isValidFileLink({ ...key, version: 4 }, link, file, 0)).toBe(false);
});
