import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packCli } from "../../cli/build.ts";
import { unpackPackage } from "../../test/support/cli/unpack-package.ts";

/** The packed command line, unpacked as npm does it. */
export interface InstalledCli {
  program: string;
  /** Creates an empty folder. */
  newFolder(): string;
  /** Runs the program and returns the duration and the number of its requests. Throws if it fails. */
  run(args: string[], cwd: string): Promise<{ ms: number; requests: number }>;
  remove(): void;
}

/** Packs and unpacks the command line for one workspace of a service. */
export async function installCli(target: { url: string; token: string; workspace: string }): Promise<InstalledCli> {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-cli-"));
  await packCli(join(folder, "package"));
  await unpackPackage(readFileSync(join(folder, "package/svc-cli.tgz")), join(folder, "installed"));
  const program = join(folder, "installed/dist/svc.mjs");
  const env = {
    PATH: process.env["PATH"] ?? "",
    ...{ HOME: folder, NO_COLOR: "1", SVC_CONFIG_DIR: join(folder, "config") },
    ...{ SVC_URL: target.url, SVC_TOKEN: target.token, SVC_WORKSPACE: target.workspace },
  };
  return {
    program,
    newFolder: () => mkdtempSync(join(folder, "checkout-")),
    async run(args, cwd) {
      const startedMs = performance.now();
      const { code, stderr } = await new Promise<{ code: number | null; stderr: string }>((resolve, reject) => {
        const child = spawn(process.execPath, [program, ...args, "--verbose"], { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
        let text = "";
        child.stderr.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        child.once("error", reject);
        child.once("close", (exitCode) => resolve({ code: exitCode, stderr: text }));
      });
      const ms = performance.now() - startedMs;
      if (code !== 0) throw new Error(`svc ${args.join(" ")} exited with ${code}: ${stderr.slice(-500)}`);
      return { ms, requests: stderr.split("\n").filter((line) => /^(GET|POST|DELETE) \S+ \d+ \d+ ms$/.test(line)).length };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
