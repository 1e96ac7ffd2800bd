import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { env } from "../../contract/env.ts";
import { root } from "../../engine/paths.ts";
import { bytesAtStart } from "../../lib/compute/bundles/bundle.ts";
import { median, sorted } from "../measure.ts";
import type { Floor, Row } from "../table.ts";

const run = promisify(execFile);

const LIMIT_KB = 1024;
const LOAD_LIMIT_MS = 150;

/** Measures size and load time of every function bundle. Runners have no target, because they contain what user code needs. */
export async function bundleRows(node: Floor, quick: boolean): Promise<Row[]> {
  const rows: Row[] = [];
  const dist = path.join(root, "dist");
  for (const kind of ["functions", "runners"] as const) {
    const folder = path.join(dist, kind);
    for (const name of readdirSync(folder).sort()) {
      const file = path.join(folder, name, "index.mjs");
      if (!existsSync(file)) continue;
      const ours = kind === "functions";
      const loadMs = await loadTime(file, quick ? 1 : 7);
      rows.push(
        {
          line: `${kind}/${name}: size`,
          value: bytesAtStart(dist, { kind, name, directory: path.dirname(file), runtime: "node" }) / 1024,
          unit: "KB",
          ...(ours ? { target: { atMost: LIMIT_KB } } : {}),
        },
        { line: `${kind}/${name}: load`, value: loadMs, unit: "ms", floor: node, ...(ours ? { target: { atMost: LOAD_LIMIT_MS } } : {}) },
      );
    }
  }
  return rows;
}

/** Measures only the import, in a fresh process each time, because the platform starts node. */
async function loadTime(file: string, times: number): Promise<number> {
  const program = `const from = performance.now();
    await import(${JSON.stringify(file)});
    process.stdout.write(String(performance.now() - from));
    process.exit();`;
  const took: number[] = [];
  for (let at = 0; at < times; at++) {
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], { env: loadEnvironment() });
    took.push(Number(stdout));
  }
  return median(sorted(took));
}

/** Handlers are created at load, so every variable of the stack is set, to unreachable values. */
function loadEnvironment(): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    ...Object.fromEntries(Object.values(env).map((name) => [name, "none"])),
    [env.egressAllow]: "",
    [env.logins]: "[]",
    [env.runnerFunctions]: "{}",
    [env.registries]: "{}",
    [env.buildTarget]: JSON.stringify({ os: "linux", arch: "x64", python: "3.14", node: "24" }),
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "none",
    AWS_SECRET_ACCESS_KEY: "none",
  };
}
