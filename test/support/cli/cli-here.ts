import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { vi } from "vitest";
import { execute } from "../../../cli/execute.ts";
import type { Cli } from "./installed-cli.ts";
import { capturePrinted } from "./printed.ts";

/** The variables of the environment that change what a command does. */
const OWN = /^(SVC_|NO_COLOR$)/;

/**
 * Returns the command line from the sources, whose commands run in the process of the test one after the other. Tests of many commands use it,
 * because most of the time of a command is the start of its process.
 */
export function cliHere(): Cli {
  const folder = mkdtempSync(join(tmpdir(), "svc-e2e-cli-"));
  let folders = 0;
  let last: Promise<unknown> = Promise.resolve();
  const runNow: Cli["run"] = async (args, { cwd, env = {}, stdin = "" }) => {
    const before = { argv: process.argv, env: process.env, exitCode: process.exitCode };
    const [folderBefore, input] = [process.cwd(), Object.getOwnPropertyDescriptor(process, "stdin") ?? {}];
    const errorListeners = process.stdout.listeners("error");
    const others = Object.entries(process.env).filter(([name]) => !OWN.test(name));
    const printed = capturePrinted();
    try {
      process.argv = [process.execPath, "svc", ...args];
      process.env = { ...Object.fromEntries(others), SVC_CONFIG_DIR: join(folder, "config"), NO_COLOR: "1", ...env };
      Object.defineProperty(process, "stdin", { configurable: true, value: Readable.from([stdin]) });
      process.chdir(cwd);
      process.exitCode = 0;
      await execute();
      return { code: Number(process.exitCode), ...printed };
    } finally {
      vi.restoreAllMocks();
      for (const listener of process.stdout.listeners("error"))
        if (!errorListeners.includes(listener)) process.stdout.off("error", listener as () => void);
      process.chdir(folderBefore);
      Object.defineProperty(process, "stdin", input);
      Object.assign(process, before);
    }
  };
  return {
    folder,
    newFolder() {
      folders += 1;
      const checkout = join(folder, `checkout${folders}`);
      mkdirSync(checkout);
      return checkout;
    },
    run(args, options) {
      const run = last.then(() => runNow(args, options));
      last = run.catch(() => undefined);
      return run;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
