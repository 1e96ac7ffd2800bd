import { execFile } from "node:child_process";
import { extname, join } from "node:path";
import { defined } from "../../contract/defined.ts";
import { limits } from "../../contract/limits.ts";
import { type BundledFiles, BundleFailure, type BundleSource, MAIN } from "./bundle.ts";
import { withoutOwnVariables } from "./own-variables.ts";

/** Endings of bundlers that Node.js executes. Others are executed by the operating system. */
const NODE_ENDINGS = new Set([".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"]);

/** The lines of a bundler's output that an error shows. */
const MOST_LINES = 20;

/**
 * Calls the bundler of a codebase in the folder of `svc.yaml` with the path of the script. Its standard output is the bundle. Its environment lacks the variables
 * of `svc`, such as the token. Throws `BundleFailure` with its standard error.
 */
export function runCustomBundler({ root, file, codebase: { customBundler = "", format } }: BundleSource): Promise<BundledFiles> {
  const program = join(root, customBundler);
  const [command, args] = NODE_ENDINGS.has(extname(program)) ? [process.execPath, [program, file]] : [program, [file]];
  return new Promise((resolve, reject) => {
    // A larger bundle is refused anyway.
    const options = {
      cwd: root,
      env: withoutOwnVariables(process.env),
      encoding: "buffer",
      maxBuffer: 2 * limits.requestBodyBytes,
    } as const;
    execFile(command, args, options, (error, stdout, stderr) => {
      const fail = (reason: string) => reject(new BundleFailure([{ file, message: `The bundler ${customBundler} ${reason}` }]));
      if (error) return fail(`${describeExit(error)}${lastLines(stderr.toString())}`);
      if (stdout.length === 0) return fail("wrote no bundle to standard output.");
      return resolve({ files: new Map([[MAIN, new Uint8Array(stdout)]]), ...defined({ format }) });
    });
  });
}

function describeExit({ code, signal, message }: Error & { code?: number | string | null; signal?: unknown }): string {
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return "wrote more than the service accepts.";
  if (typeof code === "number") return `exited with code ${code}.`;
  return typeof signal === "string" ? `was ended by ${signal}.` : `cannot be executed: ${message}.`;
}

function lastLines(text: string): string {
  const lines = text.trimEnd().split("\n").slice(-MOST_LINES);
  return lines[0] === "" ? "" : `\n${lines.map((line) => `  ${line}`).join("\n")}`;
}
