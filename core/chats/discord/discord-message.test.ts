import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkMessage, checkModal } from "../../../test/support/chats/discord-checks.ts";
import { toReference } from "../chat-message.ts";
import { toChatFields } from "../form/chat-form.ts";
import { parseCustomId, toCustomId } from "./custom-id.ts";
import { toDiscordMessage } from "./discord-message.ts";
import { escapeMarkdown, escapeSentence, unescapeMarkdown } from "./escape-markdown.ts";
import { buildFormModal } from "./form/build-modal.ts";

const reference = toReference({
  flow: "01990000-0000-7000-8000-00000000000a",
  gate: "01990000-0000-7000-8000-00000000000b",
  id: "9f990000-0000-4000-8000-00000000000c",
});

describe("toDiscordMessage", () => {
  it("stays within the limits of Discord for any texts", () => {
    const text = fc.string({ unit: "binary", maxLength: 3000 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), text, text, (paragraphs, approve, reject) => {
        const actions = { reference, approve, reject, page: "https://svc.example.com/approve/a" };
        checkMessage({ ...toDiscordMessage({ title: "t", paragraphs: ["Approval needed", ...paragraphs], actions }) } as never);
      }),
      { numRuns: 50 },
    );
  });

  it("shortens long texts and keeps short ones, such as the outcome", () => {
    const { components } = toDiscordMessage({ title: "t", paragraphs: ["Approval needed", "*".repeat(5000), "Approved by ann."] });
    expect(components.map(({ content }) => content)).toEqual([
      "Approval needed",
      expect.stringMatching(/^(\\\*)+…$/),
      "Approved by ann\\.",
    ]);
  });
});

describe("escapeMarkdown", () => {
  it("leaves no character that begins a mention, a link, a list or a format", () => {
    expect(escapeMarkdown("@everyone <@1> <#2> [now](https://a.b) **x** ~~y~~ ||z|| `c` # h\n- i\n> q <t:1> :a:")).toBe(
      "\\@everyone \\<\\@1\\> \\<\\#2\\> \\[now\\]\\(https\\:\\/\\/a\\.b\\) \\*\\*x\\*\\* \\~\\~y\\~\\~ \\|\\|z\\|\\| \\`c\\` \\# h\n\\- i\n\\> q \\<t\\:1\\> \\:a\\:",
    );
  });

  it("can be reversed", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => unescapeMarkdown(escapeMarkdown(text)) === text));
  });

  it("of a sentence leaves its addresses, which cannot become links under another name", () => {
    expect(escapeSentence("Open https://svc.example.com/approve/a_b#c_d, ann*")).toBe(
      "Open https://svc.example.com/approve/a_b#c_d\\, ann\\*",
    );
    expect(escapeSentence("[now](https://a.b)")).toBe("\\[now\\]\\(https://a.b\\)");
  });
});

describe("toCustomId", () => {
  it("fits into the limit of Discord, and is parsed to the same reference", () => {
    const id = toCustomId("reason", reference);
    expect(id.length).toBeLessThanOrEqual(100);
    expect(parseCustomId(id)).toEqual({ action: "reason", reference });
  });

  it.each(["", "svc.approve", "svc.erase.".padEnd(74, "A"), `x${toCustomId("form", reference)}`, `${toCustomId("form", reference)}A`])(
    "has no other form: %s",
    (text) => {
      expect(parseCustomId(text)).toBeUndefined();
    },
  );
});

describe("buildFormModal", () => {
  const fieldsOf = (properties: object, required: string[] = []) => {
    const fields = toChatFields({ type: "object", properties, required }, {});
    if (typeof fields === "string") throw new Error(fields);
    return fields;
  };
  const build = (properties: object, required?: string[]) => {
    const modal = buildFormModal({ title: "Deploy", page: "https://svc.example.com", fields: fieldsOf(properties, required) }, reference);
    if (typeof modal === "string") throw new Error(modal);
    checkModal(modal as never);
    return modal.components.map(({ component }) => component);
  };
  const choices = (count: number) => Array.from({ length: count }, (_, index) => `choice ${index}`);

  it.each<[string, object, boolean, object]>([
    ["a text", { type: "string" }, true, { type: 4, style: 1, required: true }],
    ["several lines", { type: "string", format: "textarea", default: "a" }, false, { type: 4, style: 2, required: false, value: "a" }],
    ["a default text with a line break", { type: "string", default: "a\nb" }, false, { type: 4, style: 2 }],
    ["a list of texts", { type: "array", items: { type: "string" } }, true, { type: 4, style: 2, required: false }],
    ["a yes or no", { type: "boolean", default: true }, true, { type: 23, default: true }],
    ["one of few, required", { enum: choices(10) }, true, { type: 21, required: true }],
    ["one of few, optional", { enum: choices(10) }, false, { type: 3, required: false, min_values: 0, max_values: 1 }],
    ["one of many", { enum: choices(25) }, true, { type: 3, required: true, min_values: 1 }],
    ["a single choice", { const: "a" }, true, { type: 3, options: [expect.objectContaining({ label: "a", default: true })] }],
    ["several of few", { type: "array", items: { enum: choices(10) } }, true, { type: 22, min_values: 0, max_values: 10 }],
    ["several of many", { type: "array", items: { enum: choices(11) } }, false, { type: 3, min_values: 0, max_values: 11 }],
    ["a file", { type: "string", format: "data-url" }, true, { type: 19, min_values: 1, max_values: 1 }],
    ["files", { type: "array", items: { type: "string", format: "data-url" } }, true, { type: 19, min_values: 0, max_values: 10 }],
  ])("shows %s", (_, schema, isRequired, component) => {
    expect(build({ a: schema }, isRequired ? ["a"] : [])).toEqual([expect.objectContaining(component)]);
  });

  it("shortens long labels, hints and names of choices", () => {
    const long = "x".repeat(300);
    expect(build({ a: { type: "string", title: long, description: long }, b: { enum: [long, "b"] } })).toHaveLength(2);
  });
});
