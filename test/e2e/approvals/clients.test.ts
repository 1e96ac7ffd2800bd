import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { runOf, visit } from "../../support/approvals/approvals.ts";
import { flow, saveFlow } from "../../support/flows/flow.ts";
import { until } from "../../support/until.ts";

// The first build of a Go script is a minute of compiling.
vi.setConfig({ testTimeout: 240_000 });

const page = readFileSync(path.join(import.meta.dirname, "../../../docs/approvals.md"), "utf8");
const block = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? "";
const ask = JSON.parse(block("json")) as { id: string; suspend: object };

interface Prompt {
  resume: string;
  cancel: string;
  [field: string]: unknown;
}

const languages = [
  { language: "bun", fence: "ts", plain: '"purchasing"', early: '"purchasing", true' },
  { language: "python3", fence: "python", plain: '"purchasing"', early: '"purchasing", True' },
  { language: "go", fence: "go", plain: '"purchasing"', early: '"purchasing", true' },
];

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const inputs = { item: { type: "javascript", expr: "flow_input.item" }, price: { type: "javascript", expr: "flow_input.price" } };
const script = (language: string, content: string) => ({
  value: { type: "rawscript", language, content, input_transforms: inputs },
});
const after = flow.step("after", "({ budget: resume['budget'], resumes, approvers })");

async function startRun(name: string, modules: object[]): Promise<string> {
  const at = `f/t/${name}`;
  await saveFlow(ws, at, { modules });
  return expectStatus(await ws.post(`jobs/run/f/${at}`, { item: "Lathe", price: 2000 }), 201).text;
}
/** Waits until the flow waits, and returns the result of one of its steps. */
async function promptOf(run: string, module: string): Promise<Prompt> {
  await until(async () => (await runOf(ws, run)).state === "suspended", { timeoutMs: 200_000, what: `the gate of run ${run}` });
  const { flow_status: status } = (await ws.get(`jobs_u/get/${run}`)).json as { flow_status: { modules: { id: string; job?: string }[] } };
  const job = status.modules.find(({ id }) => id === module)?.job ?? "";
  return expectStatus(await ws.get(`jobs_u/completed/get_result/${job}`), 200).json as Prompt;
}

describe.each(languages)("an approval step in $language, as docs/approvals.md shows it,", ({ language, fence, plain, early }) => {
  const content = block(fence);

  it("the step returns the prompt and the URLs that resume its flow", async () => {
    const run = await startRun(`asks_${language}`, [{ ...ask, ...script(language, content) }, after]);
    const prompt = await promptOf(run, ask.id);
    expect(prompt).toMatchObject({
      default_args: { budget: "machines" },
      enums: { budget: ["tools", "machines"] },
      description: { render_all: [{ markdown: "**Lathe** costs 2000 €." }, "Who needs it is in the inputs."] },
    });
    for (const [what, url] of [
      ["resume", prompt.resume],
      ["cancel", prompt.cancel],
    ] as const) {
      expect(url).toMatch(
        new RegExp(`^${shared().url}/api/w/${ws.id}/jobs_u/${what}/[0-9a-f-]{36}/\\d+/[0-9a-f]{64}\\?approver=purchasing$`),
      );
    }
    expect(await visit(prompt.resume, { body: { budget: "holidays" } })).toMatchObject({ status: 422 });
    expect(await visit(prompt.resume, { body: { budget: "tools", remark: "fine" } })).toMatchObject({ status: 201 });
    expect(await ws.completed(run)).toMatchObject({
      success: true,
      result: { budget: "tools", resumes: [{ budget: "tools", remark: "fine" }], approvers: ["purchasing"] },
    });
  });

  it("the step returns the URL that fails its flow", async () => {
    const run = await startRun(`asks_${language}`, [{ ...ask, ...script(language, content) }, after]);
    const { cancel } = await promptOf(run, ask.id);
    expect(await visit(cancel, { body: {} })).toMatchObject({ status: 201 });
    expect(await ws.completed(run)).toMatchObject({ success: false });
  });

  it("an earlier step may create flow-level URLs, which apply to the next waiting step", async () => {
    const before = { id: "before", ...script(language, content.replace(plain, early)) };
    const waits = flow.step("waits", "1", { suspend: { required_events: 1, timeout: 600 } });
    const run = await startRun(`early_${language}`, [before, waits, after]);
    const { resume } = await promptOf(run, "before");
    expect(resume).toContain(`/${run}/`);
    expect(await visit(resume, { body: { budget: "any" } })).toMatchObject({ status: 201 });
    expect(await ws.completed(run)).toMatchObject({ success: true, result: { budget: "any", approvers: ["purchasing"] } });
  });
});
