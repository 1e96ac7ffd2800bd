import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { api } from "../api/api.ts";
import type { Cli, CliResult, InstalledCli, StartedCli } from "./installed-cli.ts";
import { writeFiles } from "./write-files.ts";

/** A folder in which a test runs commands for a workspace. */
export interface Checkout {
  folder: string;
  write(files: Readonly<Record<string, string>>): void;
  /** Returns the text of a file, or `undefined` if it does not exist. */
  read(file: string): string | undefined;
  remove(file: string): void;
  svc(...args: string[]): Promise<CliResult>;
  /** Runs a command with a text on its standard input. */
  svcWith(stdin: string, ...args: string[]): Promise<CliResult>;
  /** Starts a command that a test interrupts, or to which it reacts while it runs. */
  start(...args: string[]): StartedCli;
  /** Returns the document that a command prints with `--json`. Fails if the command does. */
  json<T = unknown>(...args: string[]): Promise<T>;
}

/** Creates a folder with `svc.yaml`. `token`: default the administrator's. */
export function newCheckout(cli: Cli & Partial<InstalledCli>, workspace: string, { config = "{}\n", token = api().token } = {}): Checkout {
  const folder = cli.newFolder();
  const env = { SVC_URL: api().url, SVC_TOKEN: token, SVC_WORKSPACE: workspace };
  const at = (file: string) => join(folder, file);
  const checkout: Checkout = {
    folder,
    write: (files) => writeFiles(folder, files),
    read: (file) => (existsSync(at(file)) ? readFileSync(at(file), "utf8") : undefined),
    remove: (file) => rmSync(at(file)),
    svc: (...args) => cli.run(args, { cwd: folder, env }),
    svcWith: (stdin, ...args) => cli.run(args, { cwd: folder, env, stdin }),
    start: (...args) => {
      if (!cli.start) throw new Error("Only the installed command line runs until it is stopped.");
      return cli.start(args, { cwd: folder, env });
    },
    async json<T>(...args: string[]) {
      const { code, stdout, stderr } = await checkout.svc(...args, "--json");
      expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
      return JSON.parse(stdout) as T;
    },
  };
  checkout.write({ "svc.yaml": config });
  return checkout;
}
