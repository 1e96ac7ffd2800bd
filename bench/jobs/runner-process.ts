import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { startRunner } from "../../runners/conformance/harness.ts";
import type { RunOutcome, RunRequest } from "../../runners/protocol.ts";
import { median, oneClient } from "../measure.ts";

/** Measures one runner in a separate process, because it reads its settings once: the duration of a call for an empty script. */
const [language = "", callsText = "", goBinary = ""] = process.argv.slice(2);
const calls = Number(callsText);

interface Started {
  request: () => RunRequest;
  send: (request: RunRequest) => Promise<RunOutcome>;
  close: () => Promise<void>;
}

async function start(): Promise<Started> {
  const { SVC_WORK_DIR = "", SVC_TMP_MODE = "" } = process.env;
  const runner = await startRunner(language, { SVC_WORK_DIR, SVC_TMP_MODE });
  // On AWS the runner's line for each run is written to a log.
  console.log = () => {};
  const script = {
    bash: { code: "true" },
    go: { files: { main: goBinary ? readFileSync(goBinary) : "" }, args: { n: 1 }, params: ["n"] },
    python3: { code: "def main():\n    return 1\n" },
  }[language] ?? { code: "export function main() { return 1; }" };
  return { request: () => runner.request(script), send: runner.send, close: runner.close };
}

const { request, send, close } = await start();
// Created once, because packing the artefact is not part of the measurement.
const prepared = request();

async function overhead(dedicated: boolean): Promise<number> {
  const call = async () => {
    const { outcome, error } = await send({ ...prepared, job: randomUUID(), dedicated });
    if (outcome !== "success") throw new Error(`${language}: ${JSON.stringify(error)}`);
  };
  return median(await oneClient(call, { calls, warmUp: Math.min(calls, 10) }));
}

const freshMs = await overhead(false);
// A program has no reusable process: each run is a new one.
const dedicatedMs = language === "go" || language === "bash" ? undefined : await overhead(true);
process.send?.({ freshMs, dedicatedMs });
await close();
process.exit();
