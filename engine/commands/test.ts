import { spawn } from "node:child_process";
import path from "node:path";
import { installTools } from "../launch/tools.ts";
import { root } from "../paths.ts";

/** `npm test` runs all tests. Arguments are passed to vitest, so `npm test -- core/jobs` runs the matching tests. */
await installTools();
const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");
const child = spawn(process.execPath, [vitest, "run", ...process.argv.slice(2)], { cwd: root, stdio: "inherit" });
// Vitest ends on a signal by itself, with the engine stopped; this process only has to outlive it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
child.on("close", (code) => {
  process.exitCode = code ?? 130;
});
