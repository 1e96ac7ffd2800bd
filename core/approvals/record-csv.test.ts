import { describe, expect, it } from "vitest";
import { aRecorded } from "../../test/builders/approvals.ts";
import { appendEntry } from "./record.ts";
import { formatRecordCsv } from "./record-csv.ts";

/** The cells of the only row, by column, read by an independent parser of RFC 4180. */
function read(change: Parameters<typeof aRecorded>[0]): Record<string, string> {
  const csv = formatRecordCsv([appendEntry(undefined, aRecorded(change))]);
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (end === "\r\n") rows.push([]);
  }
  const [head = [], row = [], rest] = rows;
  expect([row.length, rest]).toEqual([head.length, []]);
  return Object.fromEntries(head.map((name, at) => [name, row[at] ?? ""]));
}

describe("CSV records", () => {
  it("each field of an entry has a column", () => {
    expect(read({ root: "r", reason: undefined })).toMatchObject({
      at: "2027-01-15T08:00:00.000Z",
      run: "r",
      what: "approved",
      decides: "true",
      name: "ann",
      email: "ann@example.com",
      resume_id: "7",
      reason: "",
      n: "1",
    });
  });

  it("commas, quotes and line breaks remain in their cells", () => {
    for (const reason of ['say "no", please', "a\r\nb", "a\nb", "'quoted'", "a;b", ""]) expect(read({ reason })["reason"]).toBe(reason);
  });

  it("no cell is a formula", () => {
    for (const reason of ['=HYPERLINK("http://x")', "+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "\n=1", "＝1"]) {
      expect(read({ reason })["reason"]).toBe(`'${reason}`);
      expect(read({ who: { name: reason } })["name"]).toBe(`'${reason}`);
    }
  });
});
