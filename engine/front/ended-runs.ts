import { closeSync, existsSync, fstatSync, openSync, readSync, watch, writeFileSync } from "node:fs";
import type { EndedRun } from "../../functions/shared/reply/ended-run.ts";

/** The kinds of jobs that build versions. Their failures alone are shown. */
const isBuild = ({ kind }: EndedRun) => kind.endsWith("dependencies");

/**
 * Returns the line of the terminal for the end of a run: `12:03:11 demo f/examples/hello_bun succeeded 31 ms, webhook 0197…`. Steps of flows
 * and builds have a line only if they did not succeed.
 */
export function endedLine(run: EndedRun, at: Date, reason = ""): string | undefined {
  if ((run.step !== undefined || isBuild(run)) && run.state === "succeeded") return undefined;
  const subject = run.step === undefined ? (run.path ?? "preview") : `step ${run.step} of ${run.flow ?? "preview"}`;
  const by = [run.trigger, run.triggerPath].filter(Boolean).join(" ");
  const line = `${at.toTimeString().slice(0, 8)} ${run.workspace} ${subject} ${run.state} ${duration(run.ms)}, ${by} ${run.id}`;
  return reason ? `${line} ${reason}` : line;
}

/** Run times of flows may be days. */
function duration(ms: number): string {
  if (ms < 10_000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** The first line of an error, in one line of a terminal. */
export function errorText(result: unknown): string {
  const { error } = (result ?? {}) as { error?: { name?: unknown; message?: unknown } };
  const [first = ""] = String(error?.message ?? "").split("\n");
  return [error?.name, first.slice(0, 200)].filter(Boolean).join(": ");
}

/** Calls `onEnd` for each run that ends from now on. Functions append one line for each to a file. */
export function followEndedRuns(file: string, onEnd: (run: EndedRun) => void): () => void {
  if (!existsSync(file)) writeFileSync(file, "", { mode: 0o600 });
  const handle = openSync(file, "r");
  let position = fstatSync(handle).size;
  let rest = "";
  const read = () => {
    const { size } = fstatSync(handle);
    if (size <= position) return;
    const bytes = Buffer.alloc(size - position);
    position += readSync(handle, bytes, 0, bytes.length, position);
    const lines = (rest + bytes.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onEnd(JSON.parse(line) as EndedRun);
  };
  const watcher = watch(file, read);
  return () => {
    watcher.close();
    closeSync(handle);
  };
}

/** Returns a function that prints lines in the order of its calls, although the reasons of failures take time to load. */
export function createOrderedPrinter(print: (line: string) => void): (line: Promise<string | undefined>) => void {
  let last = Promise.resolve();
  return (line) => {
    last = last.then(async () => {
      const text = await line;
      if (text !== undefined) print(text);
    });
  };
}
