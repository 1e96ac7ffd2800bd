import { fork } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { svcDir } from "../../engine/paths.ts";
import { interpreter } from "../../runners/conformance/harness.ts";
import { spawnFloor } from "../floors.ts";
import type { Row } from "../table.ts";
import { GO_MARK } from "./scripts.ts";

/** The local engine runs Python functions with its own interpreter. */
const engines = path.join(svcDir, "venv", "bin", "python3");
const python = existsSync(engines) ? engines : "python3";

/** The floor is a start of the same interpreter without a script. For Go, whose scripts are programs, it is a start of the smallest program. */
const bare = {
  bun: [interpreter("bun"), "-e", "0"],
  deno: [interpreter("deno"), "eval", "0"],
  nodejs: [process.execPath, "-e", "0"],
  python3: [python, "-c", "0"],
  go: ["true"],
  bash: ["bash", "-c", ":"],
};
type Measured = keyof typeof bare;

const freshTargets: Partial<Record<Measured, number>> = { bun: 5, python3: 5 };
const dedicatedTargets: Partial<Record<Measured, number>> = { bun: 1, python3: 1 };

/** Measures the time that svc's code adds to a script in its runner, without engine and AWS. `goBinary` is a compiled Go script. */
export async function runnerRows(goBinary: string | undefined, quick: boolean): Promise<Row[]> {
  const rows: Row[] = [];
  for (const language of ["bun", "python3", "nodejs", "deno", "go", "bash"] as const) {
    if (language === "go" && !goBinary) continue;
    const floor = await spawnFloor(language === "go" ? "program" : language, bare[language], quick);
    const { freshMs, dedicatedMs } = await overheads(language, quick ? 1 : 100, goBinary);
    const [fresh, dedicated] = [freshTargets[language], dedicatedTargets[language]];
    rows.push({ line: `${language}: fresh`, value: freshMs, unit: "ms", floor, ...(fresh ? { target: { atMost: fresh } } : {}) });
    if (dedicatedMs === undefined) continue;
    rows.push({
      line: `${language}: dedicated`,
      value: dedicatedMs,
      unit: "ms",
      floor,
      ...(dedicated ? { target: { atMost: dedicated } } : {}),
    });
  }
  return rows;
}

interface Overheads {
  freshMs: number;
  dedicatedMs: number | undefined;
}

async function overheads(language: Measured, calls: number, goBinary = ""): Promise<Overheads> {
  // Not under /tmp: there a job's own /tmp could not be private, as it is in the local set-up.
  mkdirSync(svcDir, { recursive: true });
  const workDir = mkdtempSync(path.join(svcDir, "bench-runner-"));
  try {
    return await new Promise<Overheads>((resolve, reject) => {
      const child = fork(path.join(import.meta.dirname, "runner-process.ts"), [language, String(calls), goBinary], {
        env: {
          ...process.env,
          SVC_TEST_PYTHON: python,
          SVC_WORK_DIR: workDir,
          SVC_TMP_MODE: process.platform === "linux" ? "private" : "none",
        },
      });
      child.once("message", (message) => resolve(message as Overheads));
      child.once("exit", (code) => reject(new Error(`The runner of ${language} ended with ${code} before it was measured.`)));
    });
  } finally {
    rmSync(workDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** The program that the instance's runner has unpacked for fibo. There may be other programs, some of which fail. */
export function goBinaryOf(instanceDir: string): string | undefined {
  const folder = path.join(instanceDir, "work", "artefacts");
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder)
    .map((name) => path.join(folder, name, "main"))
    .find((file) => existsSync(file) && readFileSync(file).includes(GO_MARK));
}
