import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { shared } from "../../support/api/api.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";

const readPage = (name: string) => readFileSync(path.join(import.meta.dirname, "../../../docs", name), "utf8");
const listBlocks = (language: string, page = readPage("sync.md")) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(([, block = ""]) => block);

let ws: Workspace;
let home: string;
beforeAll(async () => {
  ws = await newWorkspace();
  home = mkdtempSync(path.join(tmpdir(), "svc-sync-doc-"));
  writeFileSync(path.join(home, "token.txt"), shared().token, { mode: 0o600 });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Runs lines of the page for a user of this machine who has no settings and no packages of npm yet. */
async function runLines(
  script: string,
  { folder = home, env = {} }: { folder?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const prefix = path.join(home, "npm");
  const own = { ...process.env, HOME: home, npm_config_prefix: prefix, PATH: `${prefix}/bin:${process.env["PATH"]}`, ...env };
  const text = script.replaceAll("https://svc.example.com", shared().url).replaceAll("--workspace demo", `--workspace ${ws.id}`);
  const options = { cwd: folder, env: own, timeout: 110_000 };
  return (await promisify(execFile)("bash", ["-euo", "pipefail", "-c", text], options)).stdout;
}

describe("docs/sync.md", () => {
  it("has shell blocks that run in their order, from the installation on, and do what the page describes", async () => {
    const stdout = await runLines(listBlocks("sh").join("\n"));
    expect(stdout).toContain(`${shared().url}, workspace ${ws.id} (profile ${ws.id})`);
    expect(stdout).toContain('{\n  "greeting": "Hello, Ada!"\n}');
    // The last block pushes again what the undo has taken back.
    expect((await ws.get("scripts/get/p/f/ops/greet")).json).toMatchObject({ summary: "Greets a person" });
  });

  it("leads to a checkout in which the previews of docs/local-development.md run", async () => {
    const [block = ""] = listBlocks("sh", readPage("local-development.md"));
    const stdout = await runLines(block, { folder: path.join(home, "orders") });
    expect(stdout.match(/"greeting": "Hello, Ann!"/g)).toHaveLength(2);
    expect((await ws.get("flows/exists/f/ops/nightly")).json).toBe(false);
  });

  it("has a job of GitHub Actions and one of GitLab that push the files of a checkout", async () => {
    const documents = listBlocks("yaml").map((block) => parse(block) as Record<string, unknown>);
    const github = documents.find((document) => "jobs" in document) as { jobs: { deploy: { steps: { run?: string }[] } } };
    const gitlab = documents.find((document) => "deploy" in document) as { deploy: { script: string[] } };
    const env = { SVC_URL: shared().url, SVC_TOKEN: shared().token, SVC_WORKSPACE: ws.id };
    for (const [name, lines] of [
      ["github", github.jobs.deploy.steps.flatMap(({ run }) => run ?? [])],
      ["gitlab", gitlab.deploy.script],
    ] as const) {
      const folder = path.join(home, name);
      mkdirSync(path.join(folder, "f/ci"), { recursive: true });
      writeFileSync(path.join(folder, "svc.yaml"), "includes: [f/ci/**]\n");
      writeFileSync(path.join(folder, "f/ci/folder.meta.yaml"), "summary: ''\nowners: []\nextra_perms: {}\n");
      writeFileSync(path.join(folder, `f/ci/${name}.sh`), "echo deployed\n");
      expect(lines.join("\n")).toContain("npm install -g");
      await runLines(lines.join("\n"), { folder, env: { ...env, CI: "true" } });
      expect((await ws.get(`scripts/get/p/f/ci/${name}`)).json).toMatchObject({ content: "echo deployed\n" });
    }
  });
});
