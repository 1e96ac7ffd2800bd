import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pythonPath } from "../../../test/support/programs.ts";
import { aloneInNamespace } from "../../conformance/harness.ts";
import { judgeProcess, type KnownProcesses, ownsAll, type ProcessEntry } from "./strays.ts";

const SUPERVISOR = 10;
/** Process 20 executes a job, 21 waits for another one, 23 for its first one, and the job of 22 has ended. 30 is a program of the supervisor, and 40 is older than it. */
const children = (isOtherBusy: boolean) =>
  new Map([20, 21, 22, 23].map((id) => [id, { busy: id === 22 || (id === 20 && isOtherBusy), fresh: id === 23 }]));
const known = (isOtherBusy = true): KnownProcesses => ({
  supervisor: SUPERVISOR,
  older: new Map([
    [1, "0"],
    [40, "4"],
  ]),
  helpers: new Set([30]),
  children: children(isOtherBusy),
  ended: 22,
  unrelated: new Set([2]),
});
const parents: Record<number, number> = {
  [SUPERVISOR]: 1,
  1: 0,
  20: SUPERVISOR,
  21: SUPERVISOR,
  22: SUPERVISOR,
  23: SUPERVISOR,
  30: SUPERVISOR,
  40: SUPERVISOR,
};

/** The verdict on process 99, whose ancestors are `line`, the nearest first. */
function judged(line: readonly number[], { isOtherBusy = true, startedAt = "9", gone = 0 } = {}) {
  const entries = new Map<number, ProcessEntry>();
  const add = (id: number, parent: number, at: string) => entries.set(id, { id, parent, startedAt: at });
  for (const [id, parent] of Object.entries(parents)) add(Number(id), parent, id === "40" ? startedAt : "9");
  for (const [index, id] of [99, ...line].entries()) add(id, line[index] ?? parents[id] ?? 0, entries.get(id)?.startedAt ?? "9");
  entries.delete(gone);
  return judgeProcess(entries.get(99) as ProcessEntry, entries, known(isOtherBusy));
}

describe("a process", () => {
  it.each<[string, number[], Parameters<typeof judged>[1], string]>([
    ["below the child whose job has ended is a stray", [50, 22], {}, "stray"],
    ["below a child that waits is a stray", [21], {}, "stray"],
    ["below a child without a job yet prepares it", [50, 23], {}, "known"],
    ["below a child that executes another job is not", [50, 20], {}, "known"],
    ["that the supervisor adopted is a stray if no other job runs", [SUPERVISOR], { isOtherBusy: false }, "stray"],
    ["that the supervisor adopted may belong to another job", [50, SUPERVISOR], {}, "unsure"],
    ["of a program of the supervisor is not", [30], { isOtherBusy: false }, "known"],
    ["of a program that is older than the supervisor's jobs is not", [40], { isOtherBusy: false, startedAt: "4" }, "known"],
    ["of a later program with the id of an older one is a stray", [40], { isOtherBusy: false, startedAt: "5" }, "stray"],
    ["of another program is unrelated", [60, 1], {}, "unrelated"],
    ["of a program that is known to be unrelated is unrelated too", [2], {}, "unrelated"],
    ["whose parent ended while the list was read is examined again", [50, 22], { gone: 50 }, "torn"],
  ])("%s", (_, line, options, verdict) => {
    expect(judged(line, options)).toBe(verdict);
  });
});

describe("the signal to all processes", () => {
  /** Process 10 is the supervisor, a child of process 1. 20 and 30 are its children. */
  const tree: Record<number, number> = { 1: 0, [SUPERVISOR]: 1, 20: SUPERVISOR, 30: 20 };
  const isSent = (more: Record<number, number>, signalled: readonly number[]) => {
    const parents: Record<number, number> = { ...tree, ...more };
    const maySignal = (id: number) => [1, SUPERVISOR, 20, 30, ...signalled].includes(id);
    return ownsAll(Object.keys(parents).map(Number), SUPERVISOR, { parentOf: (id) => parents[id], maySignal });
  };

  it.each<[string, Record<number, number>, number[], boolean]>([
    ["sent if every process is below the supervisor", {}, [], true],
    ["sent if another process belongs to another user", { 40: 1, 41: 0 }, [], true],
    ["never sent if it would reach another program", { 40: 1 }, [40], false],
    ["never sent if it would reach a program below another one", { 40: 1, 41: 40 }, [41], false],
    ["never sent if it would reach the parent of the supervisor", { 5: 1, [SUPERVISOR]: 5 }, [5], false],
    ["never sent if it would reach a thread of the kernel", { 2: 0 }, [2], false],
    ["never sent if the owner of a process is unknown", { 41: 40 }, [41], false],
  ])("is %s", (_, more, signalled, sent) => {
    expect(isSent(more, signalled)).toBe(sent);
  });

  it("is sent if a process ends, or loses its parent, while it is examined", () => {
    const parents: Record<number, number> = { ...tree, 50: 49 };
    const reads: number[] = [];
    const parentOf = (id: number) => {
      reads.push(id);
      // The supervisor adopts the orphan.
      if (id === 49) parents[50] = SUPERVISOR;
      return id === 60 ? undefined : parents[id];
    };
    expect(ownsAll([1, SUPERVISOR, 20, 50, 60], SUPERVISOR, { parentOf, maySignal: () => true })).toBe(true);
    expect(reads).toContain(49);
  });
});

describe.runIf(process.platform === "linux" && /^(x64|arm64)$/.test(process.arch))("a supervisor that took control", () => {
  /** Runs a program in a new process that took control. Its standard input stays open. */
  const program = (code: string) => `
    import { spawn, spawnSync } from "node:child_process";
    import { readdirSync, readFileSync } from "node:fs";
    import { countKillsOfAll, killStrays, takeControl, takeSurvivors } from ${JSON.stringify(`${import.meta.dirname}/strays.ts`)};
    if (takeControl()) throw new Error(takeControl());
    const below = () => readFileSync("/proc/self/task/" + process.pid + "/children", "utf8").trim().split(" ").filter(Boolean);
    const until = async (holds) => { while (!holds()) await new Promise((done) => setTimeout(done, 5)); };
    ${code}`;
  const run = (code: string, before: readonly string[] = [], variables: Record<string, string> = {}) => {
    const workDir = mkdtempSync(join(tmpdir(), "svc-strays-"));
    try {
      const [command = "", ...args] = [...before, process.execPath, "--input-type=module", "-e", program(code)];
      const { stdout, stderr } = spawnSync(command, args, {
        encoding: "utf8",
        env: { ...process.env, SVC_WORK_DIR: workDir, ...variables },
        timeout: 20_000,
        killSignal: "SIGKILL",
      });
      return stdout || stderr;
    } finally {
      rmSync(workDir, { recursive: true });
    }
  };

  it("adopts and kills the processes that left their parent, and leaves no zombie", () => {
    const code = `
      spawnSync("sh", ["-c", "cd /; env -i setsid sh -c 'sleep 300 & sleep 300 &' > /dev/null 2>&1"]);
      await until(() => below().length === 2);
      const first = killStrays(0);
      await until(() => below().length === 0);
      console.log(JSON.stringify(first));`;
    expect(run(code)).toBe('{"killed":2,"complete":true}\n');
  });

  it("kills a process whose first thread has ended", () => {
    const python = `import os, threading, time, ctypes
if os.fork() == 0:
    os.setsid()
    threading.Thread(target=time.sleep, args=(300,)).start()
    ctypes.CDLL(None).syscall(${process.arch === "x64" ? 60 : 93}, 0)`;
    const code = `
      spawnSync(${JSON.stringify(pythonPath())}, ["-c", ${JSON.stringify(python)}], { stdio: "ignore" });
      await until(() => below().some((id) => readFileSync("/proc/" + id + "/stat", "latin1").includes(") Z ")));
      const { killed } = killStrays(0);
      await until(() => below().length === 0);
      console.log(killed);`;
    expect(run(code)).toBe("1\n");
  });

  it("does not touch the processes of other programs", async () => {
    const other = spawn("sleep", ["300"]);
    try {
      expect(run(`console.log(killStrays(0).killed);`)).toBe("0\n");
      expect([other.exitCode, other.signalCode]).toEqual([null, null]);
      expect(() => process.kill(other.pid ?? 0, 0)).not.toThrow();
    } finally {
      other.kill("SIGKILL");
    }
  });

  // These tests run in a namespace, which protects the processes of this machine.
  describe.runIf(aloneInNamespace)("and is alone in its environment", () => {
    const sole = { SVC_SOLE_SUPERVISOR: "on", SVC_TEST_SWEEP_MS: "50" };
    const count = `readdirSync("/proc").filter((id) => Number(id) > 0 && !/\\) Z /.test(readFileSync("/proc/" + id + "/stat", "latin1"))).length`;

    it("ends a chain of processes that each live too briefly to be found", () => {
      const chain = `import os
for _ in range(2):
    if os.fork() == 0:
        os.setsid()
        while True:
            if os.fork(): os._exit(0)`;
      const code = `
        spawnSync(${JSON.stringify(pythonPath())}, ["-c", ${JSON.stringify(chain)}], { stdio: "ignore" });
        const { complete } = killStrays(0);
        await until(() => ${count} === 2);
        console.log(complete, takeSurvivors());
        process.exit();`;
      expect(run(code, aloneInNamespace, sole)).toBe("true undefined\n");
    });

    it("ends everything that it has started if it runs out of time to find processes", () => {
      const code = `
        spawnSync("sh", ["-c", "for one in 1 2 3; do setsid sleep 300 > /dev/null 2>&1 & done"]);
        await until(() => below().length === 3);
        const waiting = spawn("sleep", ["300"], { detached: true });
        const { killed, complete } = killStrays(0);
        await until(() => ${count} === 2);
        console.log(killed > 0, complete, countKillsOfAll(), takeSurvivors());
        process.exit();`;
      expect(run(code, aloneInNamespace, { ...sole, SVC_TEST_SWEEP_MS: "0.001" })).toBe("true true 1 undefined\n");
    });

    it("spares other programs, and reports processes that it cannot end", () => {
      const [command = "", ...rest] = aloneInNamespace ?? [];
      const before = [command, ...rest, "sh", "-c", 'sleep 300 & "$@"; exit', "sh"];
      const code = `
        spawnSync("sh", ["-c", "for one in 1 2 3; do setsid sleep 300 > /dev/null 2>&1 & done"]);
        await until(() => below().length === 3);
        const { complete } = killStrays(0);
        // Process 1, the shell, its program and this process.
        await until(() => ${count} === 4);
        console.log(complete, countKillsOfAll(), [takeSurvivors(), takeSurvivors()].map((fault) => typeof fault).join());
        process.exit();`;
      expect(run(code, before, { ...sole, SVC_TEST_SWEEP_MS: "0.001" })).toBe("false 0 string,undefined\n");
    });
  });
});
