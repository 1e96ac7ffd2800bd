import { describe, expect, it } from "vitest";
import { limits } from "../../../../contract/limits.ts";
import { DECISION_FILES, filesFit, fileText } from "./files.ts";

const file = (bytes: number | string, name = "a b.txt") =>
  new File([typeof bytes === "string" ? bytes : new Uint8Array(bytes)], name, { type: "text/plain" });

describe("a file of a form", () => {
  it("the value is its bytes in base64, or a data URL with its name", async () => {
    expect(await fileText(file("hi"), "base64", DECISION_FILES)).toBe("aGk=");
    expect(await fileText(file("hi"), "data-url", DECISION_FILES)).toBe("data:text/plain;name=a%20b.txt;base64,aGk=");
  });

  it("a file above the limit is rejected, alone or together with others", async () => {
    expect(await fileText(file(180 * 1024 + 1), "base64", DECISION_FILES)).toBeUndefined();
    const half = await fileText(file(100 * 1024), "base64", DECISION_FILES);
    expect([filesFit({ a: half }, DECISION_FILES), filesFit({ a: half, b: half }, DECISION_FILES)]).toEqual([true, false]);
  });

  it("an accepted file fits into the body of a decision", async () => {
    const values = { a: await fileText(file(180 * 1024), "base64", DECISION_FILES) };
    expect(filesFit(values, DECISION_FILES)).toBe(true);
    expect(JSON.stringify(values).length).toBeLessThan(limits.approvalPayloadBytes);
  });
});
