import type { Run } from "./use-runs.ts";

/** The runs that failed with one error. */
export interface ErrorGroup {
  name: string;
  message: string;
  count: number;
}

const NAME = /^\{"error":\{(?:[^{}]*,)?"name":"((?:[^"\\]|\\.)*)"/;
const MESSAGE = /"message":"((?:[^"\\]|\\.)*)/;

/** Reads a text from the beginning of JSON, which may end in the middle of it. */
function unescaped(text: string | undefined): string {
  try {
    return String(JSON.parse(`"${text ?? ""}"`));
  } catch {
    return text ?? "";
  }
}

/** Reads the error from the preview of a failed run's result, which contains only its first bytes. */
export function errorOf(preview: string | undefined): { name: string; message: string } | undefined {
  if (!preview?.startsWith('{"error":{')) return undefined;
  const name = NAME.exec(preview)?.[1];
  return { name: unescaped(name), message: unescaped(MESSAGE.exec(preview)?.[1]) };
}

/** Groups the failed runs by the name and the beginning of the message of their errors, the most frequent first. */
export function groupErrors(runs: readonly Run[]): ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>();
  for (const run of runs) {
    if (run.type !== "CompletedJob" || run.success) continue;
    const error = errorOf(run.result_preview);
    if (!error?.name) continue;
    const key = `${error.name}\n${error.message}`;
    const group = groups.get(key) ?? { ...error, count: 0 };
    groups.set(key, { ...group, count: group.count + 1 });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}
