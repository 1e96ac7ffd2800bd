import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SEARCH_SHARDS, shardOf, toPlace, toSearchText } from "./index-items.ts";
import { matchSource, matchWords, rankOf, splitWords } from "./match.ts";
import { buildSignature, createSignatureTest, fold } from "./signature.ts";

describe("the signature of a source", () => {
  it("admits every phrase that the source contains, whatever its case", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), fc.nat(), fc.nat({ max: 40 }), (text, at, length) => {
        const source = fold(text);
        const start = source.length === 0 ? 0 : at % source.length;
        const phrase = source.slice(start, start + length);
        if (phrase.length >= 3) expect(createSignatureTest(phrase)(buildSignature(text))).toBe(true);
      }),
    );
  });

  it("excludes most phrases that the source does not contain, and is shorter than the source", () => {
    const lines = Array.from({ length: 300 }, (_, n) => `const value${n * 7919} = await call("f/ops/step_${n * 104729}", ${n});`);
    const source = lines.join("\n");
    const signature = buildSignature(source);
    expect(signature.length).toBeLessThan(source.length / 4);
    const others = Array.from({ length: 1000 }, (_, n) => `other ${(n * 15485863).toString(36)} thing`);
    const admitted = others.filter((phrase) => createSignatureTest(phrase)(signature));
    expect(admitted.length).toBeLessThan(20);
  });

  it("has a maximum length", () => {
    const random = Array.from({ length: 60_000 }, (_, n) => String.fromCharCode(32 + ((n * 7919 + (n >> 3) * 104729) % 40_000))).join("");
    expect(buildSignature(random).length).toBeLessThanOrEqual(8192);
    expect(buildSignature("")).toHaveLength(8);
  });
});

describe("the words of a query", () => {
  const object = { path: "f/ops/send_mail", summary: "Sends a Mail", description: "To everyone\nin the list" };

  it.each([
    ["mail", ["path", "summary"]],
    ["SEND everyone", ["path", "summary", "description"]],
    ["list", ["description"]],
    ["mail absent", []],
    ["f/ops", ["path"]],
  ])("%s are found in %j", (query, fields) => {
    expect(matchWords(splitWords(query), object).map(({ field }) => field)).toEqual(fields);
  });

  it("are shown with the line around them", () => {
    expect(matchWords(["list"], object)).toEqual([{ field: "description", text: "in the list" }]);
    const long = `${"x".repeat(500)} needle ${"y".repeat(500)}`;
    const [match] = matchSource("Needle", `first\n${long}\nlast`);
    expect(match?.text).toContain("needle");
    expect(match?.text.length).toBeLessThanOrEqual(160);
  });

  it("rank a match in the path first, and one in a source last", () => {
    const ranks = [["path"], ["summary"], ["description"], ["source"]] as const;
    expect(ranks.map(([field]) => rankOf([{ field, text: "" }]))).toEqual([0, 1, 2, 3]);
  });
});

describe("the index", () => {
  it("spreads objects over its partitions", () => {
    const shards = Array.from({ length: 1600 }, (_, n) => shardOf("script", `f/ops/step_${n}`));
    const counts = Array.from({ length: SEARCH_SHARDS }, (_, shard) => shards.filter((each) => each === shard).length);
    for (const count of counts) expect(count).toBeGreaterThan(50);
  });

  it("names the kind and the path of its items", () => {
    expect(toPlace("http_trigger#f/t/a#b")).toEqual({ kind: "http_trigger", path: "f/t/a#b" });
  });

  it("stores the beginnings of texts, without half a character", () => {
    const { summary, description } = toSearchText({ summary: `${"x".repeat(299)}😀`, description: null });
    expect([summary.length, summary.isWellFormed(), description]).toEqual([300, true, ""]);
    expect(toSearchText({ summary: 7, description: "d".repeat(5000) })).toEqual({ summary: "", description: "d".repeat(1000) });
  });
});
