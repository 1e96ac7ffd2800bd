import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { shared } from "../../support/api/api.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { blocksOf, readings } from "../../support/docs/pages.ts";
import { newReaderHome, readAloud, runAsReader } from "../../support/docs/reader.ts";

let ws: Workspace;
let home: string;
beforeAll(async () => {
  ws = await newWorkspace();
  home = newReaderHome(ws.id);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe("docs/sync.md", () => {
  it("has shell blocks that run in order, from the installation on, and do what the page describes", async () => {
    const instead = [["--workspace demo", `--workspace ${ws.id}`]] as const;
    const stdout = (await readAloud(readings.sync, { workspace: ws.id, home, instead })).join("");
    expect(stdout).toContain(`${shared().url}, workspace ${ws.id} (profile ${ws.id})`);
    expect(stdout).toContain('{\n  "greeting": "Hello, Ada!"\n}');
    // The last block pushes again what the undo has taken back.
    expect((await ws.get("scripts/get/p/f/ops/greet")).json).toMatchObject({ summary: "Greets a person" });
  });

  it("leads to a checkout in which the previews of docs/local-development.md run", async () => {
    const [stdout = ""] = await readAloud(readings.localDevelopment, { workspace: ws.id, home, folder: "orders" });
    expect(stdout.match(/"greeting": "Hello, Ann!"/g)).toHaveLength(2);
    expect((await ws.get("flows/exists/f/ops/nightly")).json).toBe(false);
  });

  it("has a job of GitHub Actions and one of GitLab that push the files of a checkout", async () => {
    const documents = blocksOf("docs/sync.md", "yaml").map((block) => parse(block) as Record<string, unknown>);
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
      await runAsReader(home, lines.join("\n"), { folder: name, env: { ...env, CI: "true" } });
      expect((await ws.get(`scripts/get/p/f/ci/${name}`)).json).toMatchObject({ content: "echo deployed\n" });
    }
  });
});
