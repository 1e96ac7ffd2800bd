import { expect, it } from "vitest";
import { fileName, filesIn } from "./files.ts";

it("the stored files of a result are found in it, its fields and its items", () => {
  const file = { s3: "a/b.csv", storage: undefined };
  expect(filesIn({ s3: "a/b.csv" })).toEqual([file]);
  expect(filesIn({ report: { s3: "a/b.csv" }, count: 1 })).toEqual([file]);
  expect(filesIn([{ s3: "a/b.csv", storage: "other" }, 5, null])).toEqual([{ s3: "a/b.csv", storage: "other" }]);
  expect(filesIn({ s3: 5 })).toEqual([]);
  expect(filesIn("a/b.csv")).toEqual([]);
});

it("the name of a file does not reverse the direction of text", () => {
  expect(fileName("a/report\u202efdp.exe")).toBe("reportfdp.exe");
});
