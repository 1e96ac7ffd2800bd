import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { api, shared } from "../support/api.ts";

const readme = readFileSync(path.join(import.meta.dirname, "../../README.md"), "utf8");
const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);

it("every shell line of the README runs as it stands and answers what the text says", async () => {
  const client = api();
  await client.post("workspaces/create", { id: "demo", name: "Demo" });
  await client.post("w/demo/folders/create", { name: "examples" });
  const home = mkdtempSync(path.join(tmpdir(), "svc-readme-"));
  try {
    // What `npm run up` leaves behind, for the shared instance.
    mkdirSync(path.join(home, ".svc"));
    writeFileSync(path.join(home, ".svc/local.json"), JSON.stringify({ url: shared().url, token: shared().token }));
    const script = blocks.map((block) => `${block}\necho\n`).join("");
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], { cwd: home, timeout: 60_000 });
    const lines = stdout.split("\n").filter(Boolean);
    expect(lines[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(lines.slice(1)).toEqual(['{"hello":"Ada"}', expect.stringContaining('{"hello":"Ada"}'), '{"hello":"world"}']);
    expect(stdout).toContain("greeting Ada");
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
