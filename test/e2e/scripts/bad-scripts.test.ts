import { beforeAll, describe, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const MB = 1024 * 1024;

interface Failure {
  name: string;
  message: string;
  stack?: string;
}
async function failureOf(path: string, args: unknown = {}): Promise<Failure> {
  const answer = expectStatus(await ws.runWait(path, args), 200);
  const { error } = (answer.json ?? {}) as { error?: Failure };
  if (!error) throw new Error(`the job did not fail but answered ${answer.text.slice(0, 300)}`);
  const job = await ws.completed(answer.headers.get("x-svc-job-id") ?? "");
  expect(job["success"]).toBe(false);
  return error;
}

describe("scripts without main", () => {
  it.each([
    ["bun", "export const other = 1;", /main/],
    ["deno", "export const other = 1;", /main/],
    ["nodejs", "export const other = 1;", /main/],
    ["nativets", "export function helper() {}", /main/],
    ["python3", "def other():\n    pass\n", /main/],
    ["go", "package inner\n\nfunc other() {}\n", /main/],
  ])("a script without main in %s fails its job with an error that names main", async (language, content, says) => {
    await ws.saveScript({ path: `f/t/no_main_${language}`, language, content });
    expect((await failureOf(`f/t/no_main_${language}`)).message).toMatch(says);
  });
});

describe("scripts with syntax errors", () => {
  it.each([
    ["bun", "export function main( {"],
    ["deno", "export function main( {"],
    ["nodejs", "export function main( {"],
    ["python3", "def main(:\n"],
    ["go", "package inner\nfunc main( {\n"],
    ["bash", "if then; fi ("],
  ])("a script with a syntax error in %s is stored, and its run fails with the line", async (language, content) => {
    await ws.saveScript({ path: `f/t/broken_${language}`, language, content });
    const answer = await ws.runWait(`f/t/broken_${language}`);
    const log = (await ws.get(`jobs_u/get_logs/${answer.headers.get("x-svc-job-id")}`)).text;
    const { error } = answer.json as { error: Failure };
    expect(JSON.stringify(error) + log).toMatch(/:1\b|:2\b|line 1\b/);
  });
});

describe("results that cannot be JSON", () => {
  const typescript = `export function main(kind: string) {
  const cycle: Record<string, unknown> = {};
  cycle.self = { back: cycle };
  return kind === "cycle" ? { found: cycle } : { list: [1, () => 2] };
}`;
  it.each([
    ["bun", typescript, "result.found.self.back", "result.list[1]"],
    ["deno", typescript, "result.found.self.back", "result.list[1]"],
    ["nodejs", typescript, "result.found.self.back", "result.list[1]"],
    [
      "python3",
      `def main(kind: str):
    cycle = {}
    cycle["self"] = {"back": cycle}
    return {"found": cycle} if kind == "cycle" else {"list": [1, main]}
`,
      'result["found"]["self"]["back"]',
      'result["list"][1]',
    ],
  ])("the error of a job in %s names the part that cannot be JSON", async (language, content, cycle, fn) => {
    const path = `f/t/not_json_${language}`;
    await ws.saveScript({ path, language, content });
    expect((await failureOf(path, { kind: "cycle" })).message).toContain(`${cycle} refers back to`);
    expect((await failureOf(path, { kind: "function" })).message).toContain(`${fn} is a function`);
  });
});

describe("10 MB of output", () => {
  it.each([
    ["bun", `export function main() { for (let i = 0; i < 10_240; i++) console.log("x".repeat(1023)); return "done"; }`],
    ["python3", `def main():\n    for i in range(10240):\n        print("x" * 1023)\n    return "done"\n`],
    ["bash", `yes ${"x".repeat(63)} | head -c 10485760; echo; echo done > result.out`],
  ])("the log of a %s job is cut at 5 MB with one marker, and the job continues to its end", async (language, content) => {
    const path = `f/t/flood_${language}`;
    await ws.saveScript({ path, language, content });
    const job = await ws.run(path);
    const { logs, ...ended } = (await ws.completed(job)) as { logs: string };
    expect(ended).toMatchObject({ success: true, result: "done" });
    expect(logs.split("[svc] The log was cut here: it reached the limit of 5 MB.")).toHaveLength(2);
    expect(logs.startsWith("xxx")).toBe(true);
    expect(logs.trimEnd().endsWith("of 5 MB.")).toBe(true);
    expect(logs.length).toBeGreaterThanOrEqual(5 * MB);
    expect(logs.length).toBeLessThan(5 * MB + 200);
    expect((await ws.get(`jobs_u/get_logs/${job}`)).text).toBe(logs);
  });
});

describe("scripts that exceed their time limit", () => {
  it.each([
    ["bun", `export async function main() { console.log("begun"); await new Promise((r) => setTimeout(r, 60_000)); }`],
    ["nodejs", `export function main() { console.log("begun"); for (;;); }`],
    ["deno", `export async function main() { console.log("begun"); await new Promise((r) => setTimeout(r, 60_000)); }`],
    ["python3", "import time\ndef main():\n    print('begun', flush=True)\n    time.sleep(60)\n"],
    ["go", `package inner\n\nimport (\n\t"fmt"\n\t"time"\n)\n\nfunc main() {\n\tfmt.Println("begun")\n\ttime.Sleep(time.Minute)\n}\n`],
    ["bash", "echo begun; sleep 60"],
  ])("a script in %s is stopped with an error that contains the limit, and its output remains", async (language, content) => {
    const path = `f/t/late_${language}`;
    await ws.saveScript({ path, language, content, timeout: 1 });
    const job = await ws.completed(await ws.run(path));
    expect(job).toMatchObject({ success: false, logs: "begun\n", result: { error: { message: expect.stringMatching(/limit of 1 s/) } } });
  });

  it("a preview takes its limit from the query", async () => {
    const answer = await ws.post("jobs/run_wait_result/preview", { language: "bash", content: "sleep 60" }, { timeout: 1 });
    expect(answer.json).toMatchObject({ error: { message: expect.stringMatching(/limit of 1 s/) } });
  });
});

describe("stack traces", () => {
  const typescript = `type Wanted = { a: number };
interface Unused { b: string }

function inner(wanted: Wanted): never {
  throw new TypeError(\`boom \${wanted.a}\`);
}

export async function main(a: number) {
  await Promise.resolve();
  return inner({ a });
}
`;
  it.each([
    ["bun", typescript, [/f\/t\/stack_bun(\.ts)?:5\b/, /f\/t\/stack_bun(\.ts)?:10\b/]],
    ["deno", typescript, [/f\/t\/stack_deno(\.ts)?:5\b/, /f\/t\/stack_deno(\.ts)?:10\b/]],
    ["nodejs", typescript, [/f\/t\/stack_nodejs(\.ts)?:5\b/, /f\/t\/stack_nodejs(\.ts)?:10\b/]],
    [
      "python3",
      `import json

def inner(a):
    raise TypeError(f"boom {a}")

def main(a: int):
    return inner(a)
`,
      [/f\/t\/stack_python3\.py", line 4\b/, /f\/t\/stack_python3\.py", line 7\b/],
    ],
    [
      "go",
      `package inner

import "fmt"

func inside(a int) int {
	panic(fmt.Sprintf("boom %d", a))
}

func main(a int) int {
	return inside(a)
}
`,
      [/f\/t\/stack_go(\.go)?:6\b/, /f\/t\/stack_go(\.go)?:10\b/],
    ],
  ] as const)("the stack of an error in %s has the user's own lines and no machine path", async (language, content, lines) => {
    const path = `f/t/stack_${language}`;
    await ws.saveScript({ path, language, content });
    const error = await failureOf(path, { a: 7 });
    expect(error.message).toContain("boom 7");
    for (const line of lines) expect(error.stack).toMatch(line);
    expect(JSON.stringify(error)).not.toContain(shared().dir);
    expect(JSON.stringify(error)).not.toContain(process.cwd());
    expect(error.stack).not.toMatch(/(^|[\s("'])\/(?!api)[a-z]+\//m);
  });
});
