import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Runner, startRunner } from "../conformance/harness.ts";

let runner: Runner;
beforeAll(async () => {
  runner = await startRunner("python3");
});
afterAll(() => runner.close());

const onLinux = it.runIf(process.platform === "linux");

/** Processes whose command line contains `text`. */
function commandLines(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
      } catch {
        return false;
      }
    });
}

function children(pid: number): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
}

describe("a run in a fresh fork", () => {
  it("the run has the request's environment and no variable of the supervisor", async () => {
    const { result } = await runner.run({ code: "import os\ndef main():\n    return dict(os.environ)", env: { WM_TOKEN: "t", A: "1" } });
    const { PATH, LANG, HOME, TMPDIR, SVC_RUN, ...rest } = result as Record<string, string>;
    expect(rest).toEqual({ WM_TOKEN: "t", A: "1" });
    expect(PATH && LANG && SVC_RUN).toBeTruthy();
    expect(TMPDIR).toBe(join(HOME ?? "", "tmp"));
  });

  it("the run starts if only the runner's environment locates the interpreter's library", async () => {
    const runner = await startRunner("python3", { LD_LIBRARY_PATH: "/var/lang/lib" });
    try {
      const { result } = await runner.run({ code: "import os\ndef main():\n    return os.environ.get('LD_LIBRARY_PATH')" });
      expect(result).toBe("/var/lang/lib");
    } finally {
      await runner.close();
    }
  });

  it("the run passes its environment to the programs that it starts", async () => {
    const code = "import subprocess\ndef main():\n    return subprocess.check_output(['env'], text=True)";
    const { result } = await runner.run({ code, env: { A: "1" } });
    expect(result).toContain("A=1\n");
    expect(result).not.toContain("never-to-be-seen");
  });

  onLinux("the run finds no credentials in the runner's own environment unless it is root", async () => {
    const code = `
import os
def main():
    found = []
    for pid in (os.getppid(), ${runner.pid}):
        try:
            found.append(b"never-to-be-seen" in open(f"/proc/{pid}/environ", "rb").read())
        except OSError:
            found.append(False)
    return found`;
    const { result } = await runner.run({ code });
    if (process.getuid?.() !== 0) expect(result).toEqual([false, false]);
    else expect((result as boolean[])[0]).toBe(false);
  });

  it("the run has modules, globals and built-ins that no other run has changed", async () => {
    const code = `
import builtins, json, os, f.ops.shared
count = 0
def main():
    global count
    count += 1
    f.ops.shared.seen.append(1)
    before = [count, len(f.ops.shared.seen), hasattr(builtins, "marked"), hasattr(json, "marked"), "MARKED" in os.environ]
    builtins.marked = json.marked = True
    os.environ["MARKED"] = "1"
    return before`;
    const script = { code, files: { "f/ops/shared.py": "seen = []" } };
    for (let run = 0; run < 3; run++) expect((await runner.run(script)).result).toEqual([1, 1, false, false, false]);
  });

  it("the run has its own random numbers and its own process id", async () => {
    const script = { code: "import os, random, uuid\ndef main():\n    return [random.random(), str(uuid.uuid4()), os.getpid()]" };
    const first = (await runner.run(script)).result as unknown[];
    const second = (await runner.run(script)).result as unknown[];
    for (const index of [0, 1, 2]) expect(first[index]).not.toBe(second[index]);
  });

  onLinux("the run leaves no process behind, in any group or session", async () => {
    const mark = `4${Math.floor(Math.random() * 1e8)}`;
    const code = `
import os, subprocess, sys
def main():
    subprocess.Popen(["sleep", "${mark}"])
    subprocess.Popen(["sleep", "${mark}"], start_new_session=True)
    subprocess.Popen(["env", "-i", "setsid", "sleep", "${mark}"], start_new_session=True)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execvp("sleep", ["sleep", "${mark}"])
        os._exit(0)
    print("started")
    return 1`;
    expect(await runner.run({ code })).toMatchObject({ outcome: "success", result: 1, logs: { text: "started\n" } });
    expect(commandLines(mark)).toEqual([]);
    expect(await runner.run({ code: `${code}\n    raise SystemExit`, timeoutMs: 10_000, dedicated: true })).toMatchObject({ result: 1 });
    expect(commandLines(mark)).toEqual([]);
  });

  it("the run cannot forge its result by writing to other descriptors", async () => {
    const code = `
import os
def main():
    for fd in range(3, 64):
        try:
            os.write(fd, b'{"ok": true}\\n"forged"')
        except OSError:
            pass
    return "real"`;
    expect(await runner.run({ code })).toMatchObject({ outcome: "success", result: "real" });
    const closing = "import os\ndef main():\n    os.closerange(3, 256)\n    return 1";
    expect(await runner.run({ code: closing })).toMatchObject({ outcome: "failure", error: { name: "ExitError" } });
    expect(await runner.run({ code: "def main():\n    return 1" })).toMatchObject({ outcome: "success" });
  });

  it("the run fails if it kills its host, and the next run has a new host", async () => {
    const outcome = await runner.run({
      code: "import os, signal, time\ndef main():\n    os.kill(os.getppid(), signal.SIGKILL)\n    time.sleep(60)",
    });
    expect(outcome.outcome).toBe("failure");
    expect(await runner.run({ code: "def main():\n    return 1" })).toMatchObject({ outcome: "success", result: 1 });
  });

  onLinux("repeated runs leak neither descriptors nor processes", async () => {
    const script = { code: "import asyncio, subprocess\ndef main():\n    print('x')\n    return 1" };
    const usage = () => [readdirSync(`/proc/${runner.pid}/fd`).length, children(runner.pid).length];
    for (let run = 0; run < 3; run++) await runner.run(script);
    const before = usage();
    for (let run = 0; run < 30; run++) expect((await runner.run(script)).result).toBe(1);
    expect(usage()).toEqual(before);
  });

  it("runs share one host per key and version, up to a few at the same time", async () => {
    const code = "def main():\n    return 1";
    const fresh = async (hostKey: string) => (await runner.run({ code, hostKey })).timings.freshHost;
    expect([await fresh("a"), await fresh("a"), await fresh("b"), await fresh("a")]).toEqual([true, false, true, false]);
    for (const key of ["c", "d", "e", "f"]) await fresh(key);
    expect(await fresh("b")).toBe(true);
  });

  it("runs download an artefact once", async () => {
    const script = { code: "def main():\n    return 'once'" };
    const before = runner.downloads;
    await runner.run(script);
    await runner.run({ ...script, hostKey: "other" });
    expect(runner.downloads - before).toBe(1);
  });
});

describe("a dedicated run", () => {
  it("the run reuses the loaded module, and nothing else of the previous run", async () => {
    const code = `
import os, threading
count = 0
def main(name):
    global count
    count += 1
    print("run", name)
    seen = [count, os.environ.get("NAME"), sorted(os.listdir(".")), os.getcwd() == os.environ["HOME"]]
    open("left.txt", "w").close()
    os.environ["LEFT"] = "1"
    return seen + ["LEFT" in os.environ and os.environ.get("OTHER")]`;
    for (const run of [1, 2, 3]) {
      const outcome = await runner.run({ code, dedicated: true, args: { name: run }, env: { NAME: `n${run}` } });
      expect(outcome).toMatchObject({ result: [run, `n${run}`, ["tmp"], true, null], logs: { offset: 0, text: `run ${run}\n` } });
    }
  });

  it.each([
    ["os._exit(3)", { outcome: "failure", error: { name: "ExitError", exit_code: 3 } }],
    ["os.abort()", { outcome: "failure", error: { name: "ExitError", signal: "SIGABRT" } }],
    ["while True: pass", { outcome: "timeout", error: { name: "TimeoutError" } }],
    ["raise ValueError('x')", { outcome: "failure", error: { name: "ValueError" } }],
  ])("a run that ends with %s reports that end, and the next one works", async (statement, expected) => {
    const code = `import os\ndef main(bad):\n    if bad:\n        ${statement}\n    return 1`;
    expect(await runner.run({ code, dedicated: true, args: { bad: true }, timeoutMs: 700 })).toMatchObject(expected);
    expect(await runner.run({ code, dedicated: true })).toMatchObject({ result: 1 });
  });

  it("a run that writes invalid data to its descriptors does not block the runner", async () => {
    const code = `
import os
def main():
    for fd in range(3, 64):
        try:
            os.write(fd, b'nonsense in place of a frame')
        except OSError:
            pass
    return 1`;
    const outcome = await runner.run({ code, dedicated: true, timeoutMs: 3000 });
    expect(["success", "failure"]).toContain(outcome.outcome);
    expect(await runner.run({ code: "def main():\n    return 2", dedicated: true })).toMatchObject({ result: 2 });
  });

  it("the run loads its module again if the previous run failed to load it", async () => {
    const code = "import os\nif os.environ['BROKEN'] == '1':\n    raise ImportError('not now')\ndef main():\n    return 1";
    expect(await runner.run({ code, dedicated: true, env: { BROKEN: "1" } })).toMatchObject({ error: { name: "ImportError" } });
    expect(await runner.run({ code, dedicated: true, env: { BROKEN: "0" } })).toMatchObject({ result: 1 });
  });
});

describe("the end of the runner itself", () => {
  onLinux("the runner ends its hosts and their child processes", async () => {
    const mark = `5${Math.floor(Math.random() * 1e8)}`;
    const other = await startRunner("python3");
    const running = other.run({ code: `import subprocess\ndef main():\n    subprocess.run(["sleep", "${mark}"])`, timeoutMs: 60_000 });
    running.catch(() => {});
    await expect.poll(() => commandLines(mark).length, { timeout: 10_000 }).toBeGreaterThan(0);
    const hosts = children(other.pid);
    process.kill(other.pid, "SIGKILL");
    await expect(running).rejects.toThrow();
    await expect.poll(() => commandLines(mark).length, { timeout: 10_000 }).toBe(0);
    await expect.poll(() => hosts.filter((pid) => readdirSync("/proc").includes(pid)), { timeout: 10_000 }).toEqual([]);
    await other.close();
  });
});
