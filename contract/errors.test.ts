import { describe, expect, it } from "vitest";
import { answers, type ErrorCode } from "./errors.ts";

/** Replaces one detail of an error and appears as the detail's name in the sentence. */
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
  const say = answers[code].describe as (details: unknown) => string;
  // A detail with which a sentence calculates, for example a size in MB, becomes NaN.
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

Every error is one sentence in \`text/plain\`, with its code in the header \`x-svc-error\`. Codes are stable and sentences may change, so programs
should read the code. ‹…› marks a value that the response fills in. \`auth.forbidden\` names your token instead of your role if the limits of the token
refuse the request. The test of \`contract/errors.ts\` generates this page: to update it, run
\`npx vitest run --project rules contract/errors.test.ts -u\`.

${sections.join("\n")}
## Before the service
The components in front of the service respond in the same form: API Gateway with \`gateway.badRequest\` (400), \`gateway.mediaType\` (415), \`gateway.failed\` (502) and
\`gateway.timeout\` (504), the local front server with \`engine.unreachable\` (503). \`internal\` (500) is a fault of the service; its log contains the error under
the id of the request.
`;
}

describe("docs/reference/errors.md", () => {
  it("lists every code with its status and sentence, and no other code", async () => {
    await expect(page()).toMatchFileSnapshot("../docs/reference/errors.md");
  });

  it("contains no unresolved detail", () => {
    expect(page()).not.toMatch(/undefined|\[object|\bNaN\b/);
  });
});
