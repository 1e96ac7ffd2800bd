import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Runner, startRunner } from "../conformance/harness.ts";
import type { BeatRequest } from "../protocol.ts";

let runner: Runner;
beforeAll(async () => {
  runner = await startRunner("python3", { SVC_TEST_LOST_AFTER_S: "6", SVC_MEMORY_LIMIT_MB: "300" });
});
afterAll(() => runner.close());
beforeEach(() => {
  runner.beats.length = 0;
  runner.reports.length = 0;
  runner.onBeat = () => ({ go: "on", watched: false });
  runner.onReport = () => 200;
});

/** What a few lines print that use the supervisor's own modules. */
function python(program: string, args: string[], environment: Record<string, string> = {}): string {
  const env = { ...process.env, ...environment };
  return execFileSync(process.env["SVC_TEST_PYTHON"] ?? "python3", ["-B", "-c", program, ...args], {
    cwd: import.meta.dirname,
    env,
    encoding: "utf8",
  });
}

const sleeping = (seconds: number) =>
  `import time\ndef main():\n    print("begun")\n    time.sleep(${seconds})\n    print("done")\n    return 1`;

describe("the log", () => {
  it("holds stdout and stderr in the order in which they were written", async () => {
    const code = `
import os, subprocess, sys
def main():
    print("a", end="")
    print("b", file=sys.stderr, end="")
    os.write(1, b"c")
    subprocess.run(["sh", "-c", "printf d; printf e >&2"])
    sys.stderr.write("f")
    sys.stdout.write("g")
    return 1`;
    for (const dedicated of [false, true]) expect((await runner.run({ code, dedicated })).logs).toEqual({ offset: 0, text: "abcdefg" });
  });

  it("keeps what was printed before the process died", async () => {
    expect((await runner.run({ code: "import os\ndef main():\n    print('last words')\n    os._exit(1)" })).logs.text).toBe("last words\n");
  });

  it("survives bytes that are no text, and characters that arrive in pieces", async () => {
    const code = `
import os, time
def main():
    for byte in "é𝄞".encode():
        os.write(1, bytes([byte]))
        time.sleep(0.01)
    os.write(1, b"\\xff|\\xf0\\x9d")`;
    expect((await runner.run({ code })).logs.text).toBe("é𝄞\ufffd|\ufffd");
  });

  it("is cut at the limit, once, and the script goes on", async () => {
    const code = "def main():\n    for _ in range(100):\n        print('x' * 99_999)\n    return 'through'";
    const outcome = await runner.run({ code, maxLogBytes: 5 * 1024 * 1024 });
    const carried = runner.beats.map((beat) => beat.logs?.text ?? "").join("");
    const text = carried + outcome.logs.text;
    const marker = "\n[svc] The log was cut here: it reached the limit of 5 MB.\n";
    expect(outcome.result).toBe("through");
    expect(text.length).toBe(5 * 1024 * 1024 + marker.length);
    expect(text.endsWith(marker)).toBe(true);
    expect(text.split("[svc]")).toHaveLength(2);
    expect(outcome.logs.text.length).toBeLessThanOrEqual(256 * 1024);
    expect(outcome.logs.offset).toBe(carried.length);
  });

  it("comes back whole when the internal route cannot be reached", async () => {
    const outcome = await runner.run({ code: "def main():\n    print('x' * 599_999)", internalUrl: "http://127.0.0.1:1" });
    expect(outcome.logs).toEqual({ offset: 0, text: `${"x".repeat(599_999)}\n` });
  });
});

describe("beats", () => {
  it("are not sent for a short run", async () => {
    await runner.run({ code: "def main():\n    print('x')" });
    expect(runner.beats).toEqual([]);
  });

  it("carry output with its offset in UTF-16 units, the rest comes with the outcome", async () => {
    const code = "import time\ndef main():\n    print('𝄞')\n    time.sleep(1.6)\n    print('end')\n    return 1";
    const request = runner.request({ code });
    const outcome = await runner.send(request);
    expect(runner.beats[0]).toMatchObject({
      job: request.job,
      attempt: 1,
      nonce: "nonce-of-this-attempt",
      authorization: "Bearer secret-job-token",
      logs: { offset: 0, text: "𝄞\n" },
      memPeakKb: expect.any(Number),
    });
    expect(outcome).toMatchObject({ outcome: "success", logs: { offset: 3, text: "end\n" }, memPeakKb: expect.any(Number) });
  });

  it("carry output again and again while somebody watches", async () => {
    runner.onBeat = () => ({ go: "on", watched: true });
    const code = "import time\ndef main():\n    for n in range(10):\n        print(n)\n        time.sleep(0.3)";
    const outcome = await runner.run({ code });
    const carrying = runner.beats.filter((beat: BeatRequest) => beat.logs?.text);
    expect(carrying.length).toBeGreaterThan(2);
    const all = [...carrying.map((beat) => beat.logs), outcome.logs];
    expect(all.map((logs) => logs?.text).join("")).toBe("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    let offset = 0;
    for (const logs of all) {
      expect(logs?.offset).toBe(offset);
      offset += logs?.text.length ?? 0;
    }
  });

  it.each([
    ["an answer that says stop", () => ({ go: "stop", reason: "canceled by ann", watched: false }) as const, "canceled by ann"],
    ["status 401", () => 401, "This attempt of the job does not count any more."],
    ["status 409", () => 409, "This attempt of the job does not count any more."],
  ])("kill the run on %s", async (_, reply, message) => {
    runner.onBeat = reply;
    for (const dedicated of [false, true]) {
      const outcome = await runner.run({ code: sleeping(60), dedicated, timeoutMs: 60_000 });
      expect(outcome).toMatchObject({ outcome: "killed", error: { name: "CanceledError", message } });
    }
    runner.onBeat = () => ({ go: "on", watched: false });
    expect(await runner.run({ code: "def main():\n    return 1" })).toMatchObject({ result: 1 });
  });

  it("that nobody acknowledges end the run as lost", async () => {
    runner.onBeat = () => 503;
    const outcome = await runner.run({ code: sleeping(60), timeoutMs: 60_000 });
    expect(outcome).toMatchObject({ outcome: "killed", error: { message: expect.stringContaining("No beat was acknowledged") } });
    expect(outcome.logs).toEqual({ offset: 0, text: "begun\n" });
  });

  it("that fail now and then do no harm", async () => {
    let count = 0;
    runner.onBeat = () => (count++ % 2 === 0 ? 500 : { go: "on", watched: true });
    const outcome = await runner.run({ code: sleeping(2) });
    expect(outcome).toMatchObject({ outcome: "success", result: 1 });
    const carried = runner.beats.filter((_, index) => index % 2 === 1).map((beat) => beat.logs?.text ?? "");
    expect(carried.join("") + outcome.logs.text).toBe("begun\ndone\n");
  });
});

describe("the report of a long run", () => {
  it("holds the outcome, and is repeated when it is not taken", async () => {
    let refused = 0;
    runner.onReport = () => (refused++ === 0 ? 503 : 200);
    const request = runner.request({ code: sleeping(5.5) });
    const outcome = await runner.send(request);
    expect(runner.reports).toHaveLength(2);
    expect(runner.reports[1]).toMatchObject({
      job: request.job,
      attempt: 1,
      nonce: "nonce-of-this-attempt",
      outcome: { outcome: "success", result: 1, logs: outcome.logs },
    });
  });

  it("is not made for a short one", async () => {
    await runner.run({ code: sleeping(1.5) });
    expect(runner.reports).toEqual([]);
  });
});

describe("limits", () => {
  it("of time end a run with what it printed so far", async () => {
    const outcome = await runner.run({ code: "def main():\n    print('begun')\n    while True: pass", timeoutMs: 500 });
    expect(outcome).toMatchObject({
      outcome: "timeout",
      error: { name: "TimeoutError", message: "The script ran longer than its limit of 0.5 s and was stopped." },
      logs: { offset: 0, text: "begun\n" },
    });
  });

  it("of time hold while the script loads, and for one that ignores signals", async () => {
    expect((await runner.run({ code: "while True: pass", timeoutMs: 500 })).outcome).toBe("timeout");
    const deaf = "import signal, time\nfor s in (15, 2, 1):\n    signal.signal(s, signal.SIG_IGN)\ndef main():\n    time.sleep(60)";
    expect((await runner.run({ code: deaf, timeoutMs: 500 })).outcome).toBe("timeout");
  });

  it.runIf(process.platform === "linux")("of memory end a run and say so", async () => {
    const code = "import time\ndef main():\n    held = [bytearray(1 << 20) for _ in range(400)]\n    time.sleep(30)";
    const outcome = await runner.run({ code });
    expect(outcome).toMatchObject({
      outcome: "failure",
      error: { name: "MemoryError", message: "The script used more than its 300 MB of memory and was stopped." },
    });
    expect(outcome.memPeakKb).toBeGreaterThan(300 * 1024);
  });
});

describe("messages between supervisor and host that cross on their way", () => {
  /** Runs `steps` with a ready `host` and `run(dedicated)`, which gives the finished Run of a script that returns 1. */
  const withHost = (steps: string): string => {
    const directory = mkdtempSync(join(tmpdir(), "svc-crossing-"));
    mkdirSync(join(directory, "scripts"));
    writeFileSync(join(directory, "scripts", "one.py"), "def main():\n    return 1");
    const program = `
import os, select, sys
from svc_host import wire
from svc_supervisor import hosts, run as running, tmp
request = {"timeoutMs": 20000, "maxLogBytes": 1000, "maxResultBytes": 1000, "entrypoint": "main", "args": {}, "env": {}}
def run(dedicated):
    one = running.Run(request | {"dedicated": dedicated}, host)
    one.execute(host.directory(), sys.argv[1], "scripts/one.py")
    return one
host = hosts.Host(tmp.TmpPolicy("none"))
try:
    host.ready()
${steps.replaceAll(/^/gm, "    ")}
finally:
    host.destroy()`;
    try {
      return python(program, [directory], { SVC_WORK_DIR: join(directory, "work") });
    } finally {
      rmSync(directory, { recursive: true });
    }
  };

  it("do not give a dedicated run the end of the fork that it did not need", () => {
    const steps = `
_, unused = host.next_fork()
unused.close()
# Its end is reported before the run is.
select.select([host.control], [], [])
ended = run(dedicated=True)
print(ended.exit_code, ended.body)`;
    expect(withHost(steps)).toBe("0 b'1'\n");
  });

  it("do not let the order to kill a run that has ended reach the next one", () => {
    const steps = `
first = run(dedicated=False)
wire.send(host.control, {"kill": first._pid})
second = run(dedicated=False)
print(second.exit_code, second.body)`;
    expect(withHost(steps)).toBe("0 b'1'\n");
  });
});

describe("the artefact cache", () => {
  it("evicts what was used longest ago, but nothing that somebody runs from", () => {
    const program = `
import os, sys
from svc_supervisor import artefacts, work
artefacts.MAX_CACHE_BYTES = 250
folder = work.folder("artefacts")
for age, name in enumerate(("newest", "middle", "held", "oldest")):
    os.mkdir(os.path.join(folder, name))
    with open(os.path.join(folder, name, ".svc-bytes"), "w") as file:
        file.write("100")
    os.utime(os.path.join(folder, name), (1000 - age, 1000 - age))
held = artefacts.Lease("held")
artefacts._evict(os.path.join(folder, "none"), 50)
print(sorted(name for name in os.listdir(folder) if not name.endswith(".lock") and not name.startswith(".")))`;
    const directory = mkdtempSync(join(tmpdir(), "svc-evict-"));
    expect(python(program, [], { SVC_WORK_DIR: directory })).toBe("['held', 'newest']\n");
    rmSync(directory, { recursive: true });
  });
});

describe("writes to /tmp", () => {
  it("are undone by the sweep, but for what is kept", () => {
    const directory = mkdtempSync(join(tmpdir(), "svc-sweep-"));
    mkdirSync(join(directory, "work", "artefacts"), { recursive: true });
    mkdirSync(join(directory, "locked", "inner"), { recursive: true, mode: 0o500 });
    writeFileSync(join(directory, "work", "stray.txt"), "");
    writeFileSync(join(directory, "other.txt"), "");
    const program = "import sys; from svc_supervisor import work; work.empty(sys.argv[1], {sys.argv[1] + '/work/artefacts'})";
    python(program, [directory]);
    expect(readdirSync(directory, { recursive: true }).sort()).toEqual(["work", "work/artefacts"]);
    rmSync(directory, { recursive: true });
  });

  it("stay in a private /tmp where the kernel allows it, and the log line says which", async () => {
    const other = await startRunner("python3", { SVC_TMP_MODE: "private" });
    const name = `svc-private-${process.pid}`;
    const code = `
import os
def main():
    seen = os.path.exists("/tmp/${name}")
    open("/tmp/${name}", "w").close()
    return seen`;
    try {
      const first = await other.run({ code });
      const { tmp, tmpNote } = JSON.parse(other.printed[0] ?? "{}");
      expect(first).toMatchObject({ outcome: "success", result: false });
      if (tmp === "private") {
        expect(readdirSync("/tmp")).not.toContain(name);
        expect((await other.run({ code })).result).toBe(false);
        expect((await other.run({ code, dedicated: true })).result).toBe(false);
        expect((await other.run({ code, dedicated: true })).result).toBe(false);
      } else {
        expect(tmp).toBe("none");
        expect(tmpNote).toContain("no private /tmp");
      }
    } finally {
      rmSync(join("/tmp", name), { force: true });
      await other.close();
    }
  });
});
