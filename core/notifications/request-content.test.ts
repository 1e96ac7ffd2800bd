import { describe, expect, it } from "vitest";
import { selectShownInputs, toDescriptionText } from "./request-content.ts";

describe("the description of a request in a mail", () => {
  it.each([
    ["Pay it?", "Pay it?"],
    [{ render_all: ["Pay it?", { markdown: "**drill** costs 7" }] }, "Pay it?\n\n**drill** costs 7"],
    [{ render_all: [{ map: { lat: 1, lon: 2 } }, { html: "<b>x</b>" }] }, "(map, see the page)\n\n(formatted text, see the page)"],
    [{ table: [{ item: "drill", price: 7 }, { item: "saw" }] }, "item | price\ndrill | 7\nsaw | "],
    [{ table: Array.from({ length: 22 }, (_, n) => ({ n })) }, expect.stringMatching(/^n\n0\n.*\n19\n\(2 more rows, see the page\)$/s)],
    [undefined, undefined],
    [7, "7"],
    [{ render_all: [] }, undefined],
    [{ cost: 7 }, '{\n  "cost": 7\n}'],
  ])("%j has the text %j", (description, text) => {
    expect(toDescriptionText(description)).toEqual(text);
  });
});

describe("the inputs of a request in a mail", () => {
  const schema = {
    properties: {
      key: { type: "string", password: true },
      pin: { type: "string", format: "password" },
      login: { type: "object", properties: { user: { type: "string" }, password: { type: "string", password: true } } },
      logins: { type: "array", items: { type: "object", properties: { password: { type: "string", password: true } } } },
    },
  };
  const shown = (names: string[], args: Record<string, unknown>) =>
    Object.fromEntries(selectShownInputs(names, args, schema).map(({ name, value }) => [name, value]));

  it("are those that the author of the step names, in this order, and no other", () => {
    const args = { item: "drill", price: 7, note: "n", parts: [1, { a: null }] };
    expect(selectShownInputs(["price", "item", "parts", "absent", "toString"], args, undefined)).toEqual([
      { name: "price", value: "7" },
      { name: "item", value: "drill" },
      { name: "parts", value: '[1,{"a":null}]' },
      { name: "absent", value: "null" },
      { name: "toString", value: "null" },
    ]);
  });

  it("contain no value that the schema marks as a secret, at any depth", () => {
    const secrets = { key: "s-1", pin: "s-2", login: { user: "ann", password: "s-3" }, logins: [{ password: "s-4" }, { password: "s-5" }] };
    const values = shown(["key", "pin", "login", "logins"], secrets);
    expect(JSON.stringify(values)).not.toMatch(/s-\d/);
    expect(values["login"]).toContain("ann");
  });

  it("are cut in number and length", () => {
    const names = Array.from({ length: 100 }, (_, n) => `n${n}`);
    expect(selectShownInputs(names, { n0: "🧾".repeat(1000) }, undefined)).toHaveLength(20);
    expect([...(shown(["n0"], { n0: "🧾".repeat(1000) })["n0"] ?? "")]).toHaveLength(300);
  });
});
