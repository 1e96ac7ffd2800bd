import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../../engine/paths.ts";

/** The pages for users, as paths in the checkout. Decisions contain no instructions. */
export const pages: readonly string[] = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((page) => !page.startsWith("docs/decisions/") && !page.startsWith("test/"));

/** The fenced blocks of a page in their order. A block without a language has the language "". */
export function blocksOf(page: string, language: string): string[] {
  const fences = readFileSync(path.join(root, page), "utf8").matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm);
  return [...fences].filter(([, found]) => found === language).map(([, , block = ""]) => block);
}

/** The first line of each page that calls the API. */
export const PREAMBLE = 'eval "$(npm run -s env)"\n';
/** The only shell function of the pages about the API. */
export const HELPER = `api() { curl --fail-with-body -sS -w '\\n' -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"; }\n`;

export interface Reading {
  page: string;
  /** The shell blocks that one test runs, by their place on the page. Default: all. */
  blocks?: readonly number[];
}

/** Which tests run which shell blocks. Each test names its reading (`readAloud(readings.…`). */
export const readings = {
  readme: { page: "README.md" },
  webhooks: { page: "docs/webhooks.md" },
  files: { page: "docs/files.md" },
  jobs: { page: "docs/jobs.md" },
  flows: { page: "docs/flows.md" },
  approvals: { page: "docs/approvals.md" },
  consentgate: { page: "docs/consentgate.md" },
  handlers: { page: "docs/handlers.md" },
  permissions: { page: "docs/permissions.md" },
  connections: { page: "docs/connections.md", blocks: [0, 1, 3] },
  accounts: { page: "docs/connections.md", blocks: [2] },
  events: { page: "docs/events.md" },
  httpRoutes: { page: "docs/http-routes.md" },
  openapi: { page: "docs/openapi.md" },
  schedules: { page: "docs/schedules.md" },
  triggers: { page: "docs/triggers.md" },
  sync: { page: "docs/sync.md" },
  localDevelopment: { page: "docs/local-development.md" },
} as const satisfies Record<string, Reading>;

/** Pages whose shell blocks no test runs, and the reason. */
export const notRead: Readonly<Record<string, string>> = {
  "docs/aws.md": "Its commands need an AWS account. It says itself which of them never ran on AWS.",
  "docs/embedding.md": "Its commands build and install the package. lib/package/package.test.ts does so with short functions.",
  "docs/clients.md": "test/e2e/clients/install.test.ts runs its blocks, each in its own folder.",
  "web/README.md": "Its command is a server that does not end.",
  "docs/local.md": "test/e2e/local/up.test.ts runs its only command, npm run mail.",
};

/** Variables that the reader of a page sets. */
export const setByReader: Readonly<Record<string, readonly string[]>> = { "docs/clients.md": ["URL"] };
