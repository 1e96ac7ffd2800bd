import { describe, expect, it } from "vitest";
import { limits } from "../../../../contract/limits.ts";
import { filesFit, fileText } from "./files.ts";

const file = (bytes: number | string, name = "a b.txt") =>
  new File([typeof bytes === "string" ? bytes : new Uint8Array(bytes)], name, { type: "text/plain" });

describe("a file of a form", () => {
  it("the value is its bytes in base64, or a data URL with its name", async () => {
    expect(await fileText(file("hi"), "base64")).toBe("aGk=");
    expect(await fileText(file("hi"), "data-url")).toBe("data:text/plain;name=a%20b.txt;base64,aGk=");
  });

  it("a file above the limit is rejected, alone or together with others", async () => {
    expect(await fileText(file(180 * 1024 + 1), "base64")).toBeUndefined();
    const half = await fileText(file(100 * 1024), "base64");
    expect([filesFit({ a: half }), filesFit({ a: half, b: half })]).toEqual([true, false]);
  });

  it("an accepted file fits into the body of a decision", async () => {
    const values = { a: await fileText(file(180 * 1024), "base64") };
    expect(filesFit(values)).toBe(true);
    expect(JSON.stringify(values).length).toBeLessThan(limits.approvalPayloadBytes);
  });
});
