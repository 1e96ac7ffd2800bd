import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pythonPath } from "../../test/support/programs.ts";
import { aloneInNamespace, type Runner, startRunner } from "../conformance/harness.ts";

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

/** Runs some lines of Python with the supervisor's modules and returns their output. */
function python(program: string, args: string[], environment: Record<string, string> = {}, before: readonly string[] = []): string {
  const [command = "", ...rest] = [...before, pythonPath(), "-B", "-c", program, ...args];
  return execFileSync(command, rest, {
    cwd: import.meta.dirname,
    env: { ...process.env, ...environment },
    encoding: "utf8",
    timeout: 20_000,
    killSignal: "SIGKILL",
  });
}

const sleeping = (seconds: number) =>
  `import time\ndef main():\n    print("begun")\n    time.sleep(${seconds})\n    print("done")\n    return 1`;

describe("the log", () => {
  it("the log contains stdout and stderr in the order in which they were written", async () => {
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
});

describe("heartbeats", () => {
  it("a run whose heartbeats are not acknowledged is lost", async () => {
    runner.onBeat = () => 503;
    const outcome = await runner.run({ code: sleeping(60), timeoutMs: 60_000 });
    expect(outcome).toMatchObject({ outcome: "killed", error: { message: expect.stringContaining("No heartbeat was acknowledged") } });
    expect(outcome.logs).toEqual({ offset: 0, text: "begun\n" });
  });

  it("a run whose heartbeats are not acknowledged continues while its executor waits", async () => {
    runner.onBeat = () => 503;
    const outcome = await runner.run({ code: sleeping(7.5), executorWaitsMs: 60_000 });
    expect(outcome).toMatchObject({ outcome: "success", result: 1 });
  });
});

describe("limits", () => {
  it("the time limit applies while the script loads", async () => {
    expect((await runner.run({ code: "while True: pass", timeoutMs: 500 })).outcome).toBe("timeout");
  });
});

describe("messages between supervisor and host that cross each other", () => {
  /** Runs `steps` with a ready `host` and `run(dedicated)`, which returns the finished Run of a script that returns 1. */
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

  it("the end of an unused fork is not assigned to a dedicated run", () => {
    const steps = `
_, unused = host.next_fork()
unused.close()
# Its end is reported before the run is.
select.select([host.control], [], [])
ended = run(dedicated=True)
print(ended.exit_code, ended.body)`;
    expect(withHost(steps)).toBe("0 b'1'\n");
  });

  it("an order to kill the previous run does not kill the next one", () => {
    const steps = `
first = run(dedicated=False)
wire.send(host.control, {"kill": first._pid})
second = run(dedicated=False)
print(second.exit_code, second.body)`;
    expect(withHost(steps)).toBe("0 b'1'\n");
  });
});

describe("the artefact cache", () => {
  it("the cache evicts the least recently used artefact, but none that a run has leased", () => {
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
  it("the sweep removes files, except for the paths that it must keep", () => {
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

  it("files remain in a private /tmp if the kernel allows it, and the log line names the mode", async () => {
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

// The namespace protects the processes of this machine.
describe.runIf(aloneInNamespace)("a supervisor that is alone in its environment", () => {
  /** Leaves processes that `start` starts, ends them, and prints whether an idle host can be used, and the fault. Waits until the number of living processes is among `left`. */
  const sweep = (start: string, left: string, { sweepMs = "0", before = aloneInNamespace ?? [] } = {}) => {
    const directory = mkdtempSync(join(tmpdir(), "svc-alone-"));
    const program = `
import os, subprocess, time
from svc_supervisor import hosts, strays, tmp
def living():
    strays._unrelated.clear()
    return [pid for pid, _, _, has_ended in strays._entries() if not has_ended]
strays.take_control()
host = hosts.Host(tmp.TmpPolicy("none"))
host.ready()
${start}
killed = strays.kill({host.process.pid}, None)
while len(living()) not in ${left}: time.sleep(0.01)
print(killed > 0, host.is_usable(), strays.take_survivors())
host.destroy()`;
    try {
      return python(program, [], { SVC_WORK_DIR: directory, SVC_SOLE_SUPERVISOR: "on", SVC_TEST_SWEEP_MS: sweepMs }, before);
    } finally {
      rmSync(directory, { recursive: true });
    }
  };
  const leave = `subprocess.run(["sh", "-c", "for one in 1 2 3; do setsid sleep 300 > /dev/null 2>&1 & done"])
while len([pid for pid in living() if strays._parent_of(pid) == os.getpid()]) != 4: time.sleep(0.01)`;

  it("ends a chain of processes that each live too briefly to be found", () => {
    const chain = `
def last_pid():
    return int(open("/proc/loadavg").read().split()[-1])
for _ in range(2):
    if os.fork() == 0:
        os.setsid()
        while True:
            if os.fork(): os._exit(0)
while last_pid() < 100: pass`;
    // It ends with the idle host and its fork, or without them.
    expect(sweep(chain, "[2, 4]", { sweepMs: "50" })).toMatch(/^True (True|False) None\n$/);
  });

  it("ends everything if it runs out of time to find processes, and then uses no idle host", () => {
    expect(sweep(leave, "[2]")).toBe("True False None\n");
  });

  it("spares other programs and its hosts, and reports processes that it cannot end", () => {
    const [command = "", ...rest] = aloneInNamespace ?? [];
    const before = [command, ...rest, "sh", "-c", 'sleep 300 & "$@"; kill -0 $! && echo spared', "sh"];
    expect(sweep(leave, "range(99)", { before })).toBe(
      "True True Processes of a run could not be ended, because they start others too fast.\nspared\n",
    );
  });
});
