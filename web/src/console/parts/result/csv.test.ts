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

it("rows of unusual values are written completely", () => {
  const deep = JSON.parse(`${"[".repeat(400)}${"]".repeat(400)}`) as unknown;
  const path = "f/".repeat(2000);
  expect(
    toCsv(
      ["a", "__proto__"],
      [
        [Number.NaN, deep],
        [path, "\u202ex"],
      ],
    ),
  ).toBe(["a,__proto__", `NaN,${"[".repeat(400)}${"]".repeat(400)}`, `${path},\u202ex`].join("\r\n"));
});
