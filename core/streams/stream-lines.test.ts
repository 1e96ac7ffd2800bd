import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../test/builders/any-text.ts";
import { addStreamToJson, StreamLines, toResultWithStream, toStreamResult } from "./stream-lines.ts";

describe("a stream in a log", () => {
  it("is the text after the mark at the beginning of a line", () => {
    const lines = new StreamLines();
    expect(lines.push("hello\nWM_STREAM: a\nno WM_STREAM: b\nWM_STREAM: c\\nd\nWM_STR")).toBe("ac\nd");
    expect(lines.push("EAM: e")).toBe("");
    expect(lines.end()).toBe("e");
  });
  it("is the same however the log is cut into pieces", () => {
    const text = fc.string().filter((one) => !one.includes("\\n"));
    fc.assert(
      fc.property(fc.array(text), fc.array(fc.nat(50)), (chunks, cuts) => {
        const log = chunks.map((chunk) => `WM_STREAM: ${chunk.replaceAll("\n", "\\n")}\nother\n`).join("");
        const lines = new StreamLines();
        let found = "";
        let at = 0;
        for (const cut of cuts) {
          found += lines.push(log.slice(at, at + cut));
          at += cut;
        }
        found += lines.push(log.slice(at)) + lines.end();
        expect(found).toBe(chunks.join(""));
      }),
    );
  });
});

describe("the stored result of a run that printed a stream", () => {
  it("is the stream for a run that returned nothing or whose last line belongs to it, and gains wm_stream for an object", () => {
    const rows: [returned: unknown, stored: unknown][] = [
      [null, "abc"],
      [undefined, "abc"],
      ["WM_STREAM: c", "abc"],
      [{ n: 1 }, { n: 1, wm_stream: "abc" }],
      [1, 1],
      ["own", "own"],
      [[1], [1]],
    ];
    for (const [returned, stored] of rows) expect(toResultWithStream(returned, "abc")).toEqual(stored);
    expect(toResultWithStream(null, "")).toBe(null);
    expect(toResultWithStream({ n: 1 }, "")).toEqual({ n: 1 });
  });
});

describe("the JSON text of a large result with a stream", () => {
  it("has the value that the parsed result has with the stream", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom({}, { wm_stream: 1 }, "WM_STREAM: x", null)),
        anyText({ minLength: 1 }),
        fc.constantFrom(0, 2),
        fc.constantFrom("", " ", "\n\t"),
        (result, stream, indent, space) => {
          const json = Buffer.from(space + JSON.stringify(result, null, indent) + space);
          const joined = addStreamToJson(json, stream);
          // JSON has no -0, which the values contain.
          const parsed: unknown = JSON.parse(JSON.stringify(result));
          const wanted = parsed === null ? null : toResultWithStream(parsed, stream);
          expect(JSON.parse((joined ?? json).toString())).toEqual(wanted);
        },
      ),
    );
  });
});

describe("only_result (spec 4.5)", () => {
  it("is the complete stream, or the object that was returned with the stream in wm_stream, or the result", () => {
    expect(toStreamResult(null, "abc")).toBe("abc");
    expect(toStreamResult("abc", "abc")).toBe("abc");
    expect(toStreamResult({ n: 1 }, "abc")).toEqual({ n: 1, wm_stream: "abc" });
    expect(toStreamResult([1], "")).toEqual([1]);
  });
});
