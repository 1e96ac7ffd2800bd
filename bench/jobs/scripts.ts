import { setTimeout as sleep } from "node:timers/promises";
import type { RunnerLanguage } from "../../contract/languages.ts";
import type { HttpClient } from "../http-client.ts";

export interface BenchScript {
  path: string;
  language: RunnerLanguage;
  content: string;
  dedicated_worker?: boolean;
}

const FOLDER = "bench";
const fiboTs = "export function main(n: number): number {\n  return n < 2 ? n : main(n - 1) + main(n - 2);\n}\n";
/** A text by which fibo's Go binary is found. */
export const GO_MARK = "fibo of the benchmark, for Go";
const at = (name: string) => `f/${FOLDER}/${name}`;

/** fibo(10) in each language that is measured. */
export const fibo = {
  bun: { path: at("fibo_bun"), language: "bun", content: fiboTs },
  python3: {
    path: at("fibo_python"),
    language: "python3",
    content: "def main(n: int):\n    return n if n < 2 else main(n - 1) + main(n - 2)\n",
  },
  go: {
    path: at("fibo_go"),
    language: "go",
    content: `package inner\n\nimport "errors"\n\nfunc main(n int) (int, error) {\n\tif n < 0 {\n\t\treturn 0, errors.New("${GO_MARK}")\n\t}\n\treturn fibo(n), nil\n}\n\nfunc fibo(n int) int {\n\tif n < 2 {\n\t\treturn n\n\t}\n\treturn fibo(n-1) + fibo(n-2)\n}\n`,
  },
  dedicated: { path: at("fibo_dedicated"), language: "bun", content: fiboTs, dedicated_worker: true },
} satisfies Record<string, BenchScript>;

/** Returns its argument and prints a line, so that arguments, result and output have the same size. */
export const echo: BenchScript = {
  path: at("echo"),
  language: "bun",
  content: 'export function main(text: string) {\n  console.log("echo");\n  return text;\n}\n',
};

/** Streams the time of each of its lines: one at once, the others after pauses. */
export const ticker: BenchScript = {
  path: at("ticker"),
  language: "bun",
  content: `export async function* main(lines: number) {
  for (let at = 0; at < lines; at++) {
    if (at > 0) await new Promise((resolve) => setTimeout(resolve, 450));
    yield Date.now() + "\\n";
  }
}
`,
};

/** Saves missing scripts and waits until they are built. */
export async function saveScripts(client: HttpClient, workspace: string, scripts: BenchScript[]): Promise<void> {
  if ((await client.ask.folders.exists({ workspace, name: FOLDER })).text !== "true") {
    await client.ask.folders.create({ workspace, body: { name: FOLDER } });
  }
  for (const script of scripts) {
    const { text: hash } = await client.ask.scripts.create({
      workspace,
      query: { skip_if_noop: true },
      body: {
        summary: "",
        description: "",
        auto_parent: true,
        ...script,
      },
    });
    await built(client, workspace, script.path, hash);
  }
}

async function built(client: HttpClient, workspace: string, path: string, hash: string): Promise<void> {
  for (;;) {
    const status = JSON.parse((await client.ask.scripts.deploymentStatus({ workspace, hash })).text) as {
      lock: string | null;
      lock_error_logs?: string;
    };
    if (status.lock_error_logs) throw new Error(`${path} could not be built: ${status.lock_error_logs}`);
    if (typeof status.lock === "string") return;
    await sleep(200);
  }
}
