import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { filesOf, generateItems } from "../../builders/workspace-files.ts";
import { api } from "../../support/api/api.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { type InstalledCli, installCli } from "../../support/cli/installed-cli.ts";
import { writeFiles } from "../../support/cli/write-files.ts";

let cli: InstalledCli;
let ws: Workspace;
beforeAll(async () => {
  [cli, ws] = await Promise.all([installCli(), newWorkspace()]);
});
afterAll(() => cli?.remove());

/** The workspace of a test has its own folder, which is left out. */
const CONFIG = "excludes: [f/t]\nskipSecrets: false\nplainSecrets: true\nincludeSchedules: true\nparallel: 10\n";
const svc = (cwd: string, ...args: string[]) =>
  cli.run(["sync", ...args, "--yes", "--verbose"], { cwd, env: { SVC_URL: api().url, SVC_TOKEN: api().token, SVC_WORKSPACE: ws.id } });
const requestsOf = (stderr: string) => stderr.match(/^(GET|POST|DELETE) \S+ \d+ \d+ ms$/gm)?.length;

/** A quarter of the workspace with 1,000 items that the benchmark pushes and pulls: still more than one request reads or writes. */
const part = 0.25;

it("hundreds of items come back from the workspace byte for byte, and a second push changes nothing", { timeout: 300_000 }, async () => {
  // The service has no runner for SQL, so nothing is built.
  const items = generateItems({ language: "postgresql", source: "-- NOTE\nselect 1\n" }, { part });
  expect(items.length).toBeGreaterThan(250);
  const source = cli.newFolder();
  writeFiles(source, [...filesOf(items), ["svc.yaml", CONFIG] as const]);
  const pushed = await svc(source, "push");
  expect([pushed.code, pushed.stderr.split("\n").at(-2)]).toEqual([0, `Done: ${items.length} to create.`]);

  const second = await svc(source, "push");
  expect([second.code, second.stderr]).toEqual([0, expect.stringContaining("Nothing differs.")]);
  expect(requestsOf(second.stderr)).toBeLessThanOrEqual(8);

  const checkout = cli.newFolder();
  writeFiles(checkout, { "svc.yaml": CONFIG });
  const pulled = await svc(checkout, "pull");
  expect(pulled).toMatchObject({ code: 0 });
  expect(requestsOf(pulled.stderr)).toBeLessThanOrEqual(6);
  // `diff` exits with 1, and this call throws, if a file differs or exists on one side only.
  expect(execFileSync("diff", ["-r", "--exclude=.svc", source, checkout], { encoding: "utf8" })).toBe("");
});
