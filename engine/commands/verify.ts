import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import pMap from "p-map";
import { bundleFingerprint } from "../engine/fingerprint.ts";
import { installHooks } from "../launch/hooks.ts";
import { withLock } from "../launch/lock.mjs";
import { formatDuration } from "../launch/progress.mjs";
import { installTools } from "../launch/tools.ts";
import { localBin, root, svcDir } from "../paths.ts";
import { type CommandResult, runCommand } from "./command.ts";

interface Check {
  name: string;
  /** The meaning of the check, for the closing line. */
  promise: string;
  run: () => Promise<CommandResult>;
}

const tool = (name: string, ...args: string[]) => runCommand(localBin(name), args, { cwd: root });
const sourceFolders = [
  "bin",
  "lib",
  "contract",
  "core",
  "ports",
  "services",
  "aws",
  "functions",
  "runners",
  "statemachines",
  "engine",
  "cli",
  "clients",
  "web",
  "test",
  "bench",
];

/**
 * Runs every check that needs no engine and starts no interpreter; `npm test` runs the rest. The slowest checks start first, so that two
 * parallel checks finish soonest.
 */
const checks: readonly Check[] = [
  { name: "unit tests", promise: "unit tests pass", run: unitTests },
  { name: "synth", promise: "the stack for AWS synthesises and satisfies cdk-nag", run: synth },
  { name: "types", promise: "types fit", run: () => types("types") },
  { name: "types of web", promise: "types of the pages fit", run: () => types("web-types", "--project", "web") },
  { name: "dead code", promise: "nothing is unused", run: () => tool("knip", "--no-config-hints") },
  {
    name: "arrows",
    promise: "folders import only allowed folders",
    run: () =>
      tool("depcruise", "--config", ".dependency-cruiser.cjs", ...sourceFolders.filter((folder) => existsSync(path.join(root, folder)))),
  },
  { name: "lint", promise: "files are formatted and linted", run: () => tool("biome", "check", ".") },
];

/** Like `npm test`, it repeats failed files. */
function unitTests(): Promise<CommandResult> {
  return runCommand(process.execPath, [path.join(import.meta.dirname, "test.ts"), "--project", "rules", "--project", "unit"], {
    cwd: root,
  });
}

/** Stores the compiler's results, so that the next run checks only the changes. */
const types = (name: string, ...args: string[]) =>
  tool("tsc", "--noEmit", "--incremental", "--tsBuildInfoFile", path.join(svcDir, `verify.${name}.tsbuildinfo`), ...args);

/**
 * The app for an AWS account, without the interpreters in its assets, which do not affect the template. Faults that CDK finds in the template
 * fail the check.
 */
function synth(): Promise<CommandResult> {
  const { context } = JSON.parse(readFileSync(path.join(root, "cdk.json"), "utf8")) as { context: object };
  const env = {
    ...process.env,
    CDK_OUTDIR: path.join(svcDir, "verify.cdk.out"),
    CDK_CONTEXT_JSON: JSON.stringify({ ...context, "svc.skipInterpreters": "true", "@aws-cdk/core:validateAgainstDefaultRules": true }),
    SVC_SOURCES: bundleFingerprint(root),
  };
  return withLock(path.join(svcDir, "synth.lock"), () => runCommand(process.execPath, ["bin/svc.ts"], { cwd: root, env }));
}

/** Returns what Vitest prints about the first failures of files that then passed, and their names. */
function listFlaky(output: string): string[] {
  const names = output.split("\n").filter((line) => line.startsWith("flaky: "));
  const [reasons] = names.length === 0 ? [] : (/^.*Failed (?:Tests|Suites)[\s\S]*?(?=^.*Test Files)/m.exec(output) ?? []);
  return reasons === undefined ? names : [reasons.trim(), ...names];
}

const AT_ONCE = 2;

async function verify(): Promise<boolean> {
  await installHooks();
  // The unit tests build scripts with these tools.
  await installTools();
  const failed: { check: Check; output: string }[] = [];
  const flaky: string[] = [];
  const run = async (check: Check) => {
    const startedMs = Date.now();
    const { code, output } = await check.run();
    const time = formatDuration(Date.now() - startedMs).padStart(8);
    console.log(`  ${code === 0 ? "ok    " : "FAILED"} ${check.name.padEnd(12)} ${time}`);
    if (code !== 0) failed.push({ check, output });
    else flaky.push(...listFlaky(output));
  };
  await pMap(checks, run, { concurrency: AT_ONCE });
  for (const { check, output } of failed) console.log(`\n--- ${check.name}\n${output.trim()}`);
  if (flaky.length > 0) console.log(`\n${flaky.join("\n")}`);
  const broken = failed.map(({ check }) => check.promise).join("; ");
  console.log(
    failed.length === 0
      ? "\nEverything holds: npm test runs all tests, also those that start interpreters and the engine."
      : `\nThese checks failed: ${broken}.`,
  );
  return failed.length === 0;
}

process.exitCode = (await verify()) ? 0 : 1;
