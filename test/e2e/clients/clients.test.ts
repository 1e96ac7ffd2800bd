import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLIENT_MODULE } from "../../../contract/deployment/client-packages.ts";
import { root } from "../../../engine/paths.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { type Client, clients, type Driver, startDriver, typescriptCommand } from "../../support/clients/client-driver.ts";
import { installTypescriptClient } from "../../support/clients/client-package.ts";
import { goTestEnv } from "../../support/engine/go-cache.ts";
import { goPath, pythonPath } from "../../support/programs.ts";

let ws: Workspace;
let childHash: string;
beforeAll(async () => {
  ws = await newWorkspace();
  expectStatus(await ws.post("folders/create", { name: "examples" }), 201);
  childHash = await ws.saveScript({ path: "f/t/child", language: "bash", content: 'name="$1"\necho "hi $name"' });
  await ws.saveScript({ path: "f/t/failing", language: "bash", content: "exit 3" });
  await ws.saveScript({ path: "f/examples/greet", language: "bun", content: "export const main = (name: string) => ({ hello: name });" });
});

const typescript = (name: string) => `import * as client from "${name}";

export async function main(name: string) {
  client.appendToResultStream("one\\ntwo");
  const greeting = await client.runScriptByPath("f/t/child", { name }, true);
  const child = await client.runScriptByPathAsync("f/t/child", { name: "later" });
  const failure = await client.runScriptByPath("f/t/failing").catch((error) => error.name);
  return { greeting, later: await client.waitJob(child), child, own: await client.getRootJobId(), failure };
}
`;

const python = (name: string) => `import ${name} as client

def main(name: str):
    client.append_to_result_stream("one\\ntwo")
    greeting = client.run_script_by_path("f/t/child", {"name": name}, verbose=True)
    child = client.run_script_by_path_async("f/t/child", {"name": "later"})
    try:
        failure = client.run_script_by_path("f/t/failing")
    except client.JobError as error:
        failure = type(error).__name__
    return {"greeting": greeting, "later": client.wait_job(child), "child": child, "own": client.get_root_job_id(), "failure": failure}
`;

const go = `package inner

import (
	"errors"

	svc "svc-client"
)

func main(name string) (any, error) {
	svc.AppendToResultStream("one\\ntwo")
	greeting, err := svc.RunScriptByPath("f/t/child", map[string]any{"name": name}, svc.RunOptions{Verbose: true})
	if err != nil {
		return nil, err
	}
	child, err := svc.RunScriptByPathAsync("f/t/child", map[string]any{"name": "later"})
	if err != nil {
		return nil, err
	}
	later, err := svc.WaitJob(child)
	if err != nil {
		return nil, err
	}
	own, err := svc.GetRootJobID()
	if err != nil {
		return nil, err
	}
	_, err = svc.RunScriptByPath("f/t/failing", nil)
	var failed *svc.JobError
	failure := ""
	if errors.As(err, &failed) {
		failure = "JobError"
	}
	return map[string]any{"greeting": greeting, "later": later, "child": child, "own": own, "failure": failure}, nil
}
`;

it.each([
  ["bun", "svc-client", typescript("svc-client")],
  ["deno", "svc-client", typescript("svc-client")],
  ["nodejs", "svc-client", typescript("svc-client")],
  ["python3", "svc", python("svc")],
  ["go", "svc-client", go],
])("a script in %s that imports %s runs other scripts and waits for them, and its lock stays empty", async (language, name, content) => {
  const path = `f/t/${language}_${name.replace("-", "_")}`;
  const hash = await ws.saveScript({ path, language, content });
  expect((await ws.get(`scripts/deployment_status/h/${hash}`)).json).toMatchObject({ lock: "" });
  const job = await ws.run(path, { name: "Ada" });
  const { result, logs } = (await ws.completed(job)) as { result: { child: string }; logs: string };
  expect(result).toMatchObject({ greeting: "hi Ada", later: "hi later", own: job, failure: "JobError" });
  expect((await ws.get(`jobs_u/get/${result.child}`)).json).toMatchObject({ parent_job: job, created_by: "admin" });
  expect(logs).toContain("WM_STREAM: one\\ntwo\n");
  expect(logs).toMatch(/Running f\/t\/child as job [0-9a-f-]{36}\.\n/);
});

describe.each(clients)("the %s client outside of jobs", (client: Client) => {
  let driver: Driver;
  beforeAll(async () => {
    driver = startDriver(client);
    await driver.call("setClient", ws.api.token, ws.api.url, ws.id);
  });
  afterAll(() => driver.stop());

  it("the client runs a script by path and by hash, with and without waiting", async () => {
    expect(await driver.call("runScriptByPath", "f/t/child", { name: "Ada" })).toMatchObject({ result: "hi Ada" });
    expect(await driver.call("runScriptByHash", childHash, { name: "é" })).toMatchObject({ result: "hi é" });
    for (const [helper, target] of [
      ["runScriptByPathAsync", "f/t/child"],
      ["runScriptByHashAsync", childHash],
    ] as const) {
      const { result: job } = await driver.call(helper, target, { name: "Bob" });
      expect(await driver.call("waitJob", job)).toMatchObject({ result: "hi Bob" });
      expect(await driver.call("getResult", job)).toMatchObject({ result: "hi Bob" });
      expect(await driver.call("getResultMaybe", job)).toMatchObject({ result: { completed: true, success: true, result: "hi Bob" } });
      expect(await driver.call("getRootJobId", job)).toMatchObject({ result: job });
    }
  });

  it("the client reports why a script failed, and that a script is missing", async () => {
    const { error } = await driver.call("runScriptByPath", "f/t/failing", {});
    expect(error).toMatchObject({ name: "JobError", failure: { name: "ExitError" } });
    expect((await driver.call("runScriptByPath", "f/t/none", {})).error).toMatchObject({
      name: "ApiError",
      status: 404,
      code: "script.notFound",
    });
  });

  it("the client writes, reads and deletes files, including those too large for a request or reply", async () => {
    for (const [key, content] of [
      [`${client}/é small.txt`, "hallo é\n"],
      [`${client}/large.txt`, "0123456789é".repeat(500_000)],
    ] as const) {
      expect(await driver.call("writeS3File", { s3: key }, content)).toMatchObject({ result: { s3: key } });
      expect((await driver.call("loadS3File", { s3: key })).result === content).toBe(true);
      expect((await driver.call("deleteS3File", `s3:///${key}`)).error).toBeUndefined();
      expect((await driver.call("loadS3File", { s3: key })).error).toMatchObject({ status: 404, code: "file.notFound" });
    }
    const { result: chosen } = await driver.call("writeS3File", null, "somewhere");
    expect((await driver.call("loadS3File", chosen)).result).toBe("somewhere");
    const { result: urls } = await driver.call("getPresignedS3PublicUrls", [chosen]);
    const [url = ""] = urls as string[];
    expect(await (await fetch(url)).text()).toBe("somewhere");
  });

  it("the client cancels a scheduled job", async () => {
    const { result: job } = await driver.call("runScriptByPathAsync", "f/t/child", { name: "x" }, 600);
    expect(await driver.call("getResult", job)).toMatchObject({ error: { status: 404 } });
    expect((await driver.call("cancelJob", job, "not needed")).error).toBeUndefined();
    expect((await driver.call("waitJob", job)).error).toMatchObject({
      name: "JobError",
      failure: { name: "Canceled", message: expect.stringContaining("not needed") },
    });
  });
});

/** The examples of a client's README: one is a script, the other a program that runs outside of jobs. */
function examples(client: string, fence: string): [script: string, program: string] {
  const readme = readFileSync(join(root, "clients", client, "README.md"), "utf8");
  const [script, program] = [...readme.matchAll(new RegExp(`\`\`\`${fence}\\n([\\s\\S]*?)\`\`\``, "g"))].map(([, text = ""]) => text);
  if (!script || !program) throw new Error(`The README of ${client} lacks an example.`);
  return [script, program.replace("http://127.0.0.1:8000", ws.api.url).replace('"demo"', JSON.stringify(ws.id))];
}

describe("the READMEs of the clients", () => {
  const dir = mkdtempSync(join(tmpdir(), "svc-client-readme-"));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const run = async (command: string, args: string[], more: { cwd?: string; env?: Record<string, string> } = {}): Promise<string> => {
    const env = { ...process.env, SVC_TOKEN: ws.api.token, ...more.env };
    return (await promisify(execFile)(command, args, { cwd: dir, ...more, env })).stdout;
  };
  const runScript = async (language: string, content: string) => {
    await ws.saveScript({ path: `f/examples/readme_${language}`, language, content });
    return (await ws.runWait(`f/examples/readme_${language}`, { names: ["Ada", "Bob"] })).json;
  };

  it.each(["bun", "deno", "nodejs"] as const)("a README has a script in TypeScript that %s runs", async (language) => {
    expect(await runScript(language, examples("typescript", "ts")[0])).toEqual([{ hello: "Ada" }, { hello: "Bob" }]);
  });

  it.each([
    ["python3", "python", "python"],
    ["go", "go", "go"],
  ])("a README has a script in %s that runs", async (language, client, fence) => {
    expect(await runScript(language, examples(client, fence)[0])).toEqual([{ hello: "Ada" }, { hello: "Bob" }]);
  });

  it("the README has a TypeScript program that bun, deno and node run with the published package", async () => {
    const installed = await installTypescriptClient();
    const program = join(installed.dir, "example.ts");
    writeFileSync(program, examples("typescript", "ts")[1]);
    for (const language of ["bun", "deno", "nodejs"] as const) {
      const [command, ...args] = typescriptCommand(language, program);
      expect(await run(command, args, { cwd: installed.dir })).toMatch(/hello.*Ada/);
    }
    rmSync(installed.dir, { recursive: true, force: true });
  });

  it("the README has a Python program that runs", async () => {
    writeFileSync(join(dir, "example.py"), examples("python", "python")[1]);
    const env = { PYTHONPATH: join(root, "clients/python"), PYTHONDONTWRITEBYTECODE: "1" };
    expect(await run(pythonPath(), ["example.py"], { env })).toBe("{'hello': 'Ada'}\n");
  });

  it("the README has a Go program that runs", async () => {
    const cwd = join(dir, "go");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "main.go"), examples("go", "go")[1]);
    writeFileSync(
      join(cwd, "go.mod"),
      `module example\n\ngo 1.21\n\nrequire ${CLIENT_MODULE} v0.0.0\n\nreplace ${CLIENT_MODULE} => ${join(root, "clients/go")}\n`,
    );
    expect(await run(goPath(), ["run", "."], { cwd, env: goTestEnv })).toBe("map[hello:Ada]\n");
  });
});
