import { expect, it } from "vitest";
import { toCsv } from "./csv.ts";

it("rows are written as CSV, and no cell is a formula", () => {
  const rows = [
    ["=HYPERLINK(1)", -5, "a,b"],
    ["@cmd", '"q"', null],
    ["+1", { a: 1 }, "x\ny"],
    ["-2", "\tx"],
  ];
  expect(toCsv(["=name", "n", "t"], rows)).toBe(
    ["'=name,n,t", `'=HYPERLINK(1),-5,"a,b"`, `'@cmd,"""q""",`, `'+1,"{""a"":1}","x\ny"`, "'-2,'\tx,"].join("\r\n"),
  );
});
