import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { removeInstance } from "../engine/engine/instance.ts";
import { readOptions } from "../engine/launch/commands.mjs";
import { explain } from "../engine/launch/complaint.mjs";
import { root, svcDir } from "../engine/paths.ts";
import { bench, type Target } from "./bench.ts";
import { launchersOf } from "./memory.ts";
import { putTables } from "./page.ts";
import { isMet, render, type Section } from "./table.ts";

/**
 * `npm run bench` measures a separate local set-up and prints one table. `--quick` checks in a minute that it works, without meaningful
 * figures. `--only <part of a title>` measures some sections and stores nothing. `--page` measures nothing and writes the stored run to
 * docs/performance.md.
 */
const { texts, flags } = readOptions("bench");
const only = texts["only"] === undefined ? {} : { only: new RegExp(texts["only"], "i") };
const dir = path.join(svcDir, `bench-${process.pid}`);
const resultFile = path.join(svcDir, "bench.json");

if (flags["page"]) {
  putTables(resultFile, path.join(root, "docs", "performance.md"));
  process.exit(0);
}

try {
  const startedMs = Date.now();
  const say = (message: string) => console.error(`  ${String(Math.round((Date.now() - startedMs) / 1000)).padStart(4)} s  ${message}`);
  const load = os.loadavg()[0] ?? 0;
  if (load > 1) console.error(`  The load of this machine is ${load.toFixed(1)}: figures taken now say little.`);
  say("a local set-up starts");
  const local = fork(path.join(import.meta.dirname, "local-process.ts"), [dir]);
  try {
    const target = await started(local);
    const sections = await bench(target, { quick: flags["quick"] === true, say, ...only });
    const machine = `${os.cpus().length} × ${os.cpus()[0]?.model ?? "CPU"}, ${os.platform()} ${os.arch()}, node ${process.versions.node}, load ${load.toFixed(1)} before the start`;
    console.log(`${machine}\n\n${render(sections)}`);
    // Sections of different runs cannot be compared, so only complete runs are stored.
    if (texts["only"] === undefined) keep(machine, sections);
  } finally {
    const ended = once(local, "exit");
    local.disconnect();
    await ended;
    await removeInstance(dir);
  }
} catch (error) {
  explain(error);
}
process.exit(0);

function keep(machine: string, sections: Section[]): void {
  const rows = sections.flatMap((section) => section.rows.map((row) => ({ section: section.title, ...row, met: isMet(row) })));
  mkdirSync(svcDir, { recursive: true });
  writeFileSync(resultFile, `${JSON.stringify({ machine, at: new Date(), quick: flags["quick"] === true, rows }, null, 2)}\n`);
}

/** Returns the URL of the set-up after it is seeded. The launcher and npm wait for the set-up as they do for `npm run up`. */
async function started(local: ReturnType<typeof fork>): Promise<Target> {
  const message = await Promise.race([once(local, "message"), once(local, "exit").then(() => undefined)]);
  if (!message) throw new Error("The local set-up did not start. Run npm run up to see the reason.");
  const [target] = message as [Omit<Target, "dir" | "processes" | "launchers">];
  return { ...target, dir, processes: [local.pid ?? 0], launchers: launchersOf(process.pid) };
}
