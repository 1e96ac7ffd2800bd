import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import type { Route } from "../../contract/route.ts";
import { routes } from "../../contract/routes/routes.ts";

/** Code that builds links which people and other programs receive. It calls nothing. */
const links: readonly string[] = [
  "core/approvals/link.ts",
  "core/notifications/run-notice.ts",
  "core/openapi/webhook-operations.ts",
  "services/accounts/connect.ts",
  "services/identity/sign-in/federated-login.ts",
  "services/scripts/webhooks.ts",
];

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", "*.tsx", "*.mjs"], {
  encoding: "utf8",
})
  .trim()
  .split("\n")
  // The contract declares the routes, functions and the stack derive from it, and the published clients have their own.
  .filter((file) => !/^(contract|functions|lib|clients|runners|test|engine\/seed\/examples)\/|\.test\.(ts|tsx|mjs)$/.test(file));

/** A part of an address that a template replaces. */
const PART = "{}";
const patterns = Object.values<Route>(routes)
  .filter(({ path }) => path.startsWith("/api/"))
  .map(({ path }) =>
    path
      .replaceAll(".", "\\.")
      .replace(/\{\w+\+\}$/, ".+")
      .replace(/\{\w+\}/g, "[^/]+"),
  );
/** With the prefix of the API or without it, at the beginning of a text or behind an origin. */
const address = new RegExp(
  `^(https?://[^/]+|\\{\\})?(${patterns.map((pattern) => `${pattern}|${pattern.slice("/api/".length)}`).join("|")})(\\?.*)?$`,
);

const textOf = (node: ts.Node): string | undefined => {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node)) return node.head.text + node.templateSpans.map(({ literal }) => PART + literal.text).join("");
  return undefined;
};

/** Lists the texts of a source that are the address of a route, or the beginning of those of a workspace. */
function findAddresses(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    const text = textOf(node);
    if (text?.includes("/") && (address.test(text) || /(^|\/api\/)w\/\{\}\/\w/.test(text))) found.push(text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("source.tsx", source, ts.ScriptTarget.Latest));
  return found;
}

describe("the address of a route", () => {
  // It parses every source, which takes longer while other tests run.
  it("is in no code that can call the typed client", { timeout: 120_000 }, () => {
    expect(files.length).toBeGreaterThan(600);
    const found = files
      .filter((file) => !links.includes(file))
      .flatMap((file) => findAddresses(readFileSync(file, "utf8")).map((text) => `${file}: ${text}`));
    expect(found).toEqual([]);
  });

  it("is in each file that builds links", () => {
    expect(links.filter((file) => findAddresses(readFileSync(file, "utf8")).length === 0)).toEqual([]);
  });

  it.each([
    ['fetch("/api/version")', ["/api/version"]],
    ["fetch(`{}/api/users/whoami`)", ["{}/api/users/whoami"]],
    ["client.get(`w/{}/variables/get/{}`)", ["w/{}/variables/get/{}"]],
    ["client.get(`w/{}/jobs/{}`)", ["w/{}/jobs/{}"]],
    ['client.get("/api/r/demo/hook")', []],
    ['import "./settings/list.ts"', []],
  ])("is found in %s", (source, addresses) => {
    // This text replaces each expression of a template.
    expect(findAddresses(source.replaceAll(PART, `$${"{value}"}`))).toEqual(addresses);
  });
});
