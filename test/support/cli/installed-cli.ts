import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import { api } from "../api/api.ts";

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The command line as the shared instance serves it, installed in a folder of its own with a configuration of its own. */
export interface InstalledCli {
  folder: string;
  /** Creates a folder for a test. */
  newFolder(): string;
  run(args: string[], options: { cwd: string; env?: Record<string, string>; stdin?: string }): Promise<CliResult>;
  remove(): void;
}

/** Installs the package from its address, without npm, which would need a registry for its one dependency. */
export async function installCli(): Promise<InstalledCli> {
  const folder = mkdtempSync(join(tmpdir(), "svc-e2e-cli-"));
  const answer = await fetch(`${api().url}/cli/svc-cli.tgz`);
  if (!answer.ok) throw new Error(`The package is not served: ${answer.status}.`);
  for (const { header, data } of await unpackTar(gunzipSync(Buffer.from(await answer.arrayBuffer())))) {
    const file = join(folder, "node_modules/svc-cli", header.name.replace(/^package\//, ""));
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, data ?? new Uint8Array());
  }
  symlinkSync(join(process.cwd(), "node_modules/esbuild"), join(folder, "node_modules/esbuild"));
  const program = join(folder, "node_modules/svc-cli/dist/svc.mjs");
  let folders = 0;
  return {
    folder,
    newFolder() {
      folders += 1;
      const made = join(folder, `checkout${folders}`);
      mkdirSync(made);
      return made;
    },
    run: (args, { cwd, env = {}, stdin = "" }) =>
      new Promise((resolve, reject) => {
        const own = { PATH: process.env["PATH"] ?? "", HOME: folder, SVC_CONFIG_DIR: join(folder, "config"), NO_COLOR: "1", ...env };
        const child = spawn(process.execPath, [program, ...args], { cwd, env: own });
        const result = { stdout: "", stderr: "" };
        child.stdout.setEncoding("utf8").on("data", (text: string) => {
          result.stdout += text;
        });
        child.stderr.setEncoding("utf8").on("data", (text: string) => {
          result.stderr += text;
        });
        child.once("error", reject);
        child.once("close", (code) => resolve({ code, ...result }));
        child.stdin.end(stdin);
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
