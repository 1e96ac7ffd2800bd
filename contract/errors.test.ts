import { describe, expect, it } from "vitest";
import { answers, type ErrorCode } from "./errors.ts";

/** Stands for whatever an error knows about itself, and reads as its name where a sentence shows it. */
function placeholder(name: string): unknown {
  return new Proxy([], {
    get: (_target, key) => {
      if (key === Symbol.toPrimitive) return (hint: string) => (hint === "number" ? Number.NaN : `‹${name}›`);
      if (key === "map" || key === "filter" || key === "replace") return () => placeholder(name);
      if (key === "join" || key === "toString" || key === "toJSON") return () => `‹${name}›`;
      return undefined;
    },
  });
}
const details = new Proxy({}, { get: (_target, name) => placeholder(String(name)) });

function sentenceOf(code: ErrorCode): string {
  const say = answers[code].say as (details: unknown) => string;
  // What a sentence reckons with, such as a size in MB, is a number there.
  return say(details).replaceAll("NaN", "‹n›").replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

function page(): string {
  const codes = (Object.keys(answers) as ErrorCode[]).sort();
  const families = [...new Set(codes.map((code) => code.split(".")[0]))];
  const sections = families.map((family) => {
    const rows = codes
      .filter((code) => code.startsWith(`${family}.`))
      .map((code) => `| \`${code}\` | ${answers[code].status} | ${sentenceOf(code)} |`);
    return [`## ${family}`, "| code | status | sentence |", "|---|---|---|", ...rows, ""].join("\n");
  });
  return `# Errors

Every error is one sentence in \`text/plain\`, with its code in the header \`x-svc-error\`. The code stays what it is, sentences may change: let programs
read the code. ‹…› stands for what the answer fills in. This page is made from \`contract/errors.ts\` by its test: \`npx vitest run --project unit
contract/errors.test.ts -u\` writes it anew.

${sections.join("\n")}
## Before the service
What stands in front answers in the same form: API Gateway with \`gateway.badRequest\` (400), \`gateway.mediaType\` (415), \`gateway.failed\` (502) and
\`gateway.timeout\` (504), the local front server with \`engine.unreachable\` (503). \`internal\` (500) is a fault of ours; the operator finds it in the
log under the request's id.
`;
}

describe("docs/errors.md", () => {
  it("has every code with its status and sentence, and no other", async () => {
    await expect(page()).toMatchFileSnapshot("../docs/errors.md");
  });

  it("names no detail that reads as nothing", () => {
    expect(page()).not.toMatch(/undefined|\[object|\bNaN\b/);
  });
});
