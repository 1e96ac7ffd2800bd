import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { goTestEnv } from "../test/support/engine/go-cache.ts";
import { goPath } from "../test/support/programs.ts";
import { filesOfJobs, type Runner, startRunner } from "./conformance/harness.ts";

describe("bash scripts", () => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await startRunner("bash");
  });
  afterAll(() => runner.close());

  it("a script receives its arguments in order, absent ones before others as empty text, and objects as JSON", async () => {
    const outcome = await runner.run({
      code: 'echo "$#|$1|$2|$3|$4"',
      params: ["text", "absent", "object", "number"],
      args: { number: 1.5, object: { a: [1] }, text: "it's $HOME; `ls`", more: 1 },
    });
    expect(outcome).toMatchObject({ outcome: "success", result: `4|it's $HOME; \`ls\`||{"a":[1]}|1.5` });
  });

  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the syntax of the shell.
  it.each([
    [{}, "0|x|y|z"],
    [{ a: "1" }, "1|1|y|z"],
    // Bash has no gaps between arguments.
    [{ b: "2" }, "2||2|z"],
    [{ c: "" }, "3||y|"],
    [{ a: null, b: null }, "2||y|z"],
  ])("bash applies the defaults of absent arguments: %j", async (args, result) => {
    const code = 'a=${1-x}; b=${2:-y}; c="${3-z}"; echo "$#|$a|$b|$c"';
    expect(await runner.run({ code, params: ["a", "b", "c"], args })).toMatchObject({ outcome: "success", result });
  });
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the syntax of the shell.

  it("the result is the last line of the output", async () => {
    expect(await runner.run({ code: "echo one; echo two >&2; printf 'last\\r\\n\\n'" })).toMatchObject({
      result: "last",
      logs: { offset: 0, text: "one\ntwo\nlast\r\n\n" },
    });
    expect((await runner.run({ code: "true" })).result).toBeNull();
    expect((await runner.run({ code: "for i in {1..300000}; do echo line $i; done", maxLogBytes: 1000 })).result).toBe("line 300000");
  });

  it("a script can write its result to result.json or result.out", async () => {
    expect((await runner.run({ code: `echo '{"a": [1, null]}' > result.json; echo text > result.out; echo last` })).result).toEqual({
      a: [1, null],
    });
    expect((await runner.run({ code: "printf 'two\\nlines\\n' > result.out; echo last" })).result).toBe("two\nlines");
    expect(await runner.run({ code: "echo '{' > result.json" })).toMatchObject({
      outcome: "failure",
      error: { name: "ResultError", message: expect.stringMatching(/^result\.json is not valid JSON: /) },
    });
    expect((await runner.run({ code: "mkfifo result.json; ln -s /etc/passwd result.out; echo last" })).result).toBe("last");
    expect((await runner.run({ code: "head -c 2000 /dev/zero > result.out", maxResultBytes: 1000 })).error?.name).toBe("ResultTooLarge");
  });

  it("a script fails with its exit code or signal", async () => {
    expect((await runner.run({ code: "echo before; exit 3" })).error).toEqual({
      name: "ExitError",
      message: "The script exited with code 3.",
      exit_code: 3,
    });
    expect((await runner.run({ code: "kill -TERM $$" })).error).toEqual({
      name: "ExitError",
      message: "The script was terminated by signal SIGTERM.",
      signal: "SIGTERM",
    });
    expect((await runner.run({ code: "kill -KILL $$" })).error?.message).toContain("memory ran out");
  });

  it("a script can write to /dev/stderr, /dev/stdout and /dev/fd", async () => {
    const { logs } = await runner.run({
      code: "echo 1; echo 2 > /dev/stderr; echo 3 > /dev/stdout; echo 4 | tee /dev/stderr > /dev/null; cat <(echo 5)",
    });
    expect(logs.text).toBe("1\n2\n3\n4\n5\n");
  });

  it("a script has an empty standard input and sees no variable of the supervisor", async () => {
    const { logs } = await runner.run({
      code: "cat; env | grep -v SUPERVISOR_ | cut -d= -f1 | sort; env | grep -c never-to-be-seen; pwd; echo $HOME",
    });
    const [, ...lines] = logs.text.trim().split("\n");
    expect(lines.slice(-1)[0]).toBe(lines.slice(-2)[0]);
    expect(logs.text).toContain("\n0\n");
    expect(logs.text).not.toContain("AWS_");
  });

  it("a script fails with a clear error when an argument is too large for the operating system", async () => {
    const outcome = await runner.run({ code: "true", params: ["a"], args: { a: "x".repeat(3_000_000) } });
    expect(outcome.error).toEqual({
      name: "StartError",
      message: "The arguments are too large for this language: each is limited to 128 KB.",
    });
    expect(filesOfJobs(runner)).toEqual([]);
  });
});

describe("go scripts", () => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await startRunner("go");
  });
  afterAll(() => runner.close());

  // The runner executes any program, so a shell script can take the place of a compiled one.
  const answer = (line: string) => `#!/bin/bash\necho log; printf '%s\\n' '${line}' >&3\n`;

  it("a script receives its arguments in a file and sends its result on file descriptor 3", async () => {
    const code = `#!/bin/bash\nprintf '{"ok":true,"result":{"args":%s,"entry":"%s"}}\\n' "$(cat $SVC_ARGS_PATH)" "$SVC_ENTRYPOINT" >&3\n`;
    expect(await runner.run({ code, args: { a: [1, "é"] }, entrypoint: "Other" })).toMatchObject({
      outcome: "success",
      result: { args: { a: [1, "é"] }, entry: "Other" },
    });
    expect(filesOfJobs(runner)).toEqual([]);
  });

  it("a script reports its own errors, and an exit without a result is an error", async () => {
    const line = '{"ok":false,"error":{"name":"error","message":"no rows","stack":"main.main()"}}';
    expect(await runner.run({ code: answer(line) })).toMatchObject({
      outcome: "failure",
      error: { name: "error", message: "no rows", stack: "main.main()" },
      logs: { text: "log\n" },
    });
    expect((await runner.run({ code: "#!/bin/bash\nexit 2\n" })).error).toMatchObject({ name: "ExitError", exit_code: 2 });
    expect((await runner.run({ code: answer("not JSON") })).error?.name).toBe("AnswerError");
    expect((await runner.run({ code: "not a program" })).error?.name).toMatch(/StartError|ExitError/);
  });

  it("a script ends after its result", async () => {
    const outcome = await runner.run({ code: `${answer('{"ok":true,"result":1}')}sleep 300\n` });
    expect(outcome).toMatchObject({ outcome: "success", result: 1, logs: { text: "log\n" } });
  });

  it("a script runs as a real binary", { timeout: 120_000 }, async () => {
    const go = goPath();
    const folder = mkdtempSync(join(tmpdir(), "svc-go-"));
    writeFileSync(
      join(folder, "main.go"),
      `package main
import ("encoding/json"; "fmt"; "os")
func main() {
  text, _ := os.ReadFile(os.Getenv("SVC_ARGS_PATH")); var args map[string]any; json.Unmarshal(text, &args)
  fmt.Println("from go"); out := os.NewFile(3, "answer")
  json.NewEncoder(out).Encode(map[string]any{"ok": true, "result": args["a"]})
}`,
    );
    execFileSync(go, ["build", "-o", join(folder, "main"), join(folder, "main.go")], {
      env: { ...process.env, ...goTestEnv, GO111MODULE: "off" },
    });
    const outcome = await runner.run({ files: { main: readFileSync(join(folder, "main")) }, args: { a: "x" } });
    rmSync(folder, { recursive: true });
    expect(outcome).toMatchObject({ outcome: "success", result: "x", logs: { text: "from go\n" } });
  });
});
