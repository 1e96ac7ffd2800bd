import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { writeLocalJson } from "../../../engine/local-json.ts";
import { root } from "../../../engine/paths.ts";
import { shared } from "../api/api.ts";
import { blocksOf, HELPER, PREAMBLE, type Reading } from "./pages.ts";

interface Reader {
  /** The id of the reader's workspace. */
  workspace: string;
  /** Texts of the page that stand for something of the reader's own. Each must occur. */
  instead?: readonly (readonly [printed: string, own: string])[];
  /** A home of an earlier reading, which remains. Default: a new one. */
  home?: string;
  /** The folder below the home where the reader is. */
  folder?: string;
}

/** Printed behind the output of each block. */
const END = "---end-of-block---";

/**
 * A home folder with what a reader has: the commands of the checkout, and the file that `npm run up` writes. npm installs commands below it,
 * because tests may not change those of the machine.
 */
export function newReaderHome(workspace: string): string {
  const home = mkdtempSync(path.join(tmpdir(), "svc-reader-"));
  mkdirSync(path.join(home, ".svc"));
  const { url, token, email } = shared();
  writeLocalJson(url, { token, email, workspace, password: "any" }, path.join(home, ".svc", "local.json"));
  copyFileSync(path.join(root, "package.json"), path.join(home, "package.json"));
  symlinkSync(path.join(root, "engine"), path.join(home, "engine"));
  return home;
}

interface Place {
  folder?: string;
  env?: NodeJS.ProcessEnv;
}

/** The variables with which this machine reaches package registries. */
const network = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /(cert|ca_bundle|cainfo|_proxy$|^npm_config_registry$)/i.test(name)),
);

/** Runs lines in a new shell that knows nothing but the reader's home. A command that fails and a variable that is not set end the shell. */
export async function runAsReader(home: string, script: string, { folder = ".", env = {} }: Place = {}): Promise<string> {
  const prefix = path.join(home, "npm");
  const own = {
    ...network,
    HOME: home,
    PATH: `${prefix}/bin:${process.env["PATH"]}`,
    npm_config_prefix: prefix,
    SVC_STATE_DIR: path.join(home, ".svc"),
  };
  const options = { cwd: path.join(home, folder), env: { ...own, ...env }, timeout: 110_000 };
  return (await promisify(execFile)("bash", ["--norc", "-euo", "pipefail", "-c", script], options)).stdout;
}

/**
 * Runs the shell blocks of a page as a reader does who copies them one after the other into one shell. Returns the output of each block.
 * Blocks that do not begin their page follow its first lines.
 */
export async function readAloud({ page, blocks: places }: Reading, reader: Reader): Promise<string[]> {
  const { workspace, instead = [], home = newReaderHome(workspace), folder = "." } = reader;
  const all = blocksOf(page, "sh");
  const chosen = (places ?? [...all.keys()]).map((place) => all[place] ?? "");
  const before = places && !places.includes(0) ? [`${PREAMBLE}${HELPER}`] : [];
  let script = [...before, ...chosen].map((block) => `${block}\nprintf '%s\\n' ${END}\n`).join("");
  for (const [printed, own] of instead) {
    if (!script.includes(printed)) throw new Error(`${page} does not contain ${printed}.`);
    script = script.replaceAll(printed, own);
  }
  try {
    const stdout = await runAsReader(home, script, { folder });
    return stdout.split(`${END}\n`).slice(before.length, -1);
  } finally {
    if (reader.home === undefined) rmSync(home, { recursive: true, force: true });
  }
}

/** The lines that a page prints below the commands of its blocks, each after `# `. */
export const printedBelow = ({ page }: Reading): string[] =>
  blocksOf(page, "sh").flatMap((block) => [...block.matchAll(/^# (.*)$/gm)].map(([, text = ""]) => text));
