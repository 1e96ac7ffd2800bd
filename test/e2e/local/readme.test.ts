import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import { api, shared } from "../../support/api/api.ts";

const blocksOf = (file: string) => {
  const text = readFileSync(path.join(import.meta.dirname, "../../..", file), "utf8");
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
};

beforeAll(async () => {
  const client = api();
  await client.post("workspaces/create", { id: "demo", name: "Demo" });
  await client.post("w/demo/folders/create", { name: "examples" });
});

/** Runs a page's shell lines in a folder that has what `npm run up` leaves behind. */
async function outputOf(blocks: string[]): Promise<string> {
  const home = mkdtempSync(path.join(tmpdir(), "svc-readme-"));
  try {
    mkdirSync(path.join(home, ".svc"));
    writeFileSync(path.join(home, ".svc/local.json"), JSON.stringify({ url: shared().url, token: shared().token }));
    const script = blocks.map((block) => `${block}\necho\n`).join("");
    return (await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], { cwd: home, timeout: 60_000 })).stdout;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

it("every shell line of the README runs unchanged and returns the result in the text", async () => {
  const stdout = await outputOf(blocksOf("README.md"));
  const lines = stdout.split("\n").filter(Boolean);
  expect(lines[0]).toMatch(/^[0-9a-f]{16}$/);
  expect(lines.slice(1)).toEqual(['{"hello":"Ada"}', expect.stringContaining('{"hello":"Ada"}'), '{"hello":"world"}']);
  expect(stdout).toContain("greeting Ada");
});

it.each(["docs/webhooks.md", "docs/files.md", "docs/jobs.md", "docs/flows.md", "docs/approvals.md", "docs/consentgate.md"])(
  "every shell line of %s returns the result below it",
  async (file) => {
    const blocks = blocksOf(file);
    const said = blocks.flatMap((block) => [...block.matchAll(/^# (.*)$/gm)].map(([, text]) => text));
    expect((await outputOf(blocks)).split("\n").filter(Boolean)).toEqual(said);
  },
);
