import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunnerLanguage, runnerLanguages } from "../contract/languages.ts";
import { bashPrograms } from "./conformance/bash-programs.ts";
import { goPrograms } from "./conformance/go-programs.ts";
import { aloneInNamespace, type Runner, startUnprivilegedRunner, until } from "./conformance/harness.ts";
import { javascriptPrograms } from "./conformance/javascript-programs.ts";
import type { Programs } from "./conformance/programs.ts";
import { pythonPrograms } from "./conformance/python-programs.ts";

const programs: Record<RunnerLanguage, Programs> = {
  bash: bashPrograms,
  bun: javascriptPrograms,
  deno: javascriptPrograms,
  go: goPrograms,
  nodejs: javascriptPrograms,
  python3: pythonPrograms,
};

/** Tries to read the files of each ancestor in /proc, and prints a line for each success. */
const PRY = `pid=$PPID
while [ "$pid" -gt 1 ]; do
  for file in environ mem maps auxv io; do (exec < /proc/$pid/$file && { [ $file = mem ] || head -c 1 > /dev/null; }) 2> /dev/null && echo "$pid $file"; done
  ls /proc/$pid/fd/* > /dev/null 2>&1 && echo "$pid fd"
  for link in cwd exe root; do readlink /proc/$pid/$link > /dev/null && echo "$pid $link"; done
  tr '\\0' '\\n' < /proc/$pid/cmdline | grep -q never-to-be-seen && echo "$pid cmdline"
  pid=$(cut -d ' ' -f 4 < /proc/$pid/stat)
done 2> /dev/null
grep -l never-to-be-seen /proc/[0-9]*/environ 2> /dev/null
echo end`;

/** A script of each language attacks its supervisor and the runs after it. The supervisor is not privileged, because root could do everything. */
describe.runIf(process.platform === "linux").each(runnerLanguages)("a hostile %s script", (language) => {
  const { forgeForever, shell, wait } = programs[language];
  let runner: Runner;
  beforeAll(async () => {
    runner = await startUnprivilegedRunner(language, { SVC_SOLE_SUPERVISOR: "on" });
  });
  afterAll(() => runner.close());

  it("reads neither memory nor environment nor descriptors of the supervisor, from a new process and from one that was used", async () => {
    for (let run = 0; run < 2; run++) {
      const { outcome, logs } = await runner.run({ code: shell(PRY) });
      const seen = logs.text.trim().split("\n");
      expect([outcome, seen.at(-1)]).toEqual(["success", "end"]);
      expect(seen.filter((line) => line.startsWith(`${runner.pid} `) || line.startsWith("/proc/"))).toEqual([]);
    }
  });

  it("cannot affect another script by changing its files, and an unchanged script is unpacked once", async () => {
    const victim = { code: wait(0) };
    const printed = async () => (await runner.run(victim)).logs.text;
    expect(await printed()).toBe("begun\ndone\n");
    const change = `find ${runner.workDir} -path '*artefacts*' -type f -exec sed -i 's/begun/forged/' {} + && echo changed`;
    expect((await runner.run({ code: shell(change) })).logs.text.trim()).toBe("changed");
    expect(await printed()).toBe("begun\ndone\n");
    const { downloads } = runner;
    expect((await runner.run({ code: shell("echo other") })).logs.text.trim()).toBe("other");
    expect(await printed()).toBe("begun\ndone\n");
    expect(runner.downloads - downloads).toBe(1);
  });

  it("cannot change another script by a thread that outlives its run", async ({ skip }) => {
    skip(!forgeForever, `${language} has no process that is kept between runs`);
    const victim = { code: wait(0) };
    const printed = async () => (await runner.run(victim)).logs.text;
    const found = (text: string) => spawnSync("grep", ["-rqsF", "-D", "skip", text, runner.workDir]).status === 0;
    for (const other of ["replaced-once", "replaced-again"]) {
      expect(await printed()).toBe("begun\ndone\n");
      const code = forgeForever?.(runner.workDir, "begun", other) ?? "";
      expect(await runner.run({ code, dedicated: true })).toMatchObject({ outcome: "success" });
      await until(() => found(other));
      for (let run = 0; run < 4; run++) expect(await printed()).toBe("begun\ndone\n");
    }
  });

  it.each([
    ["removes all files of the runner", "chmod -R u+rwX .; rm -rf ./*"],
    [
      "replaces the folders of the runner by links",
      'find . -mindepth 1 -depth -type d -exec sh -c \'rm -rf "$1"; ln -s "$0" "$1"\' $target {} \\;',
    ],
    ["replaces the named pipes of the runner by files", 'find . -type p -exec sh -c \'rm "$0"; echo > "$0"\' {} \\;'],
  ])("%s, but later runs work and remove nothing outside the work directory", async (_, damage) => {
    const target = mkdtempSync(join(tmpdir(), "svc-target-"));
    try {
      writeFileSync(join(target, "kept"), "");
      await runner.run({ code: shell(`target=${target}; cd ${runner.workDir} || exit; ${damage}`) });
      for (let run = 0; run < 3; run++) expect(await runner.run({ code: wait(0) })).toMatchObject({ outcome: "success", result: 1 });
      // The process and the pipes for the next run are prepared during a run, so a script can divert them, but nothing of other runs is removed.
      expect(readdirSync(target)).toContain("kept");
    } finally {
      rmSync(target, { recursive: true });
    }
  });

  it("leaves no process behind that has left its parent, group, session, environment and directory", async () => {
    const mark = `7${Math.floor(Math.random() * 1e8)}`;
    const running = () => spawnSync("pgrep", ["-f", `^sleep ${mark}$`]).stdout.toString();
    const leave = `(cd /; env -i setsid sh -c 'setsid sleep ${mark} > /dev/null 2>&1 &' &) > /dev/null 2>&1; until pgrep -f '^sleep ${mark}$'; do :; done`;
    const { logs } = await runner.run({ code: shell(leave) });
    expect(Number(logs.text)).toBeGreaterThan(0);
    expect(await runner.run({ code: wait(0) })).toMatchObject({ result: 1 });
    expect(running()).toBe("");
  });
});

/** The namespace protects the processes of this machine. */
describe.runIf(aloneInNamespace)("a script whose runner has an environment to itself", () => {
  it("leaves no process behind even if the search for processes reaches its time limit, and later runs work", async () => {
    const { shell, wait } = programs.nodejs;
    const runner = await startUnprivilegedRunner("nodejs", { SVC_SOLE_SUPERVISOR: "on", SVC_TEST_SWEEP_MS: "1" }, aloneInNamespace);
    try {
      const mark = `7${Math.floor(Math.random() * 1e8)}`;
      const isRunning = () => spawnSync("pgrep", ["-f", `^sleep ${mark}$`]).status === 0;
      // There are so many that the supervisor's search in this test ends before it has found all of them.
      const leave = `for one in {1..50}; do setsid sleep ${mark} > /dev/null 2>&1 & done; until [ $(pgrep -fc '^sleep ${mark}$') = 50 ]; do :; done; echo left`;
      for (let round = 0; round < 2; round++) {
        const { outcome, logs, problem } = await runner.run({ code: shell(leave) });
        expect([outcome, logs.text.trim(), problem]).toEqual(["success", "left", undefined]);
        await until(() => !isRunning());
        for (let run = 0; run < 2; run++) expect(await runner.run({ code: wait(0) })).toMatchObject({ outcome: "success", result: 1 });
      }
    } finally {
      await runner.close();
    }
  });
});
