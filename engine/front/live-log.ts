import type { FrontEvent } from "./front.ts";

/**
 * Prints one line for each run that is started through the front server, and for each response with a status of 500 and above: `12:03:11
 * demo f/examples/hello_bun sync 31 ms ok`
 */
export function liveLine({ method, path, status, ms, jobId, jobState }: FrontEvent, at: Date): string | undefined {
  const time = at.toTimeString().slice(0, 8);
  const took = `${Math.round(ms)} ms`;
  const run = /^\/api\/w\/([^/]+)\/jobs\/(run|run_wait_result)\/(?:(p|h)\/(.+)|(preview))$/.exec(path);
  if (!run || method === "OPTIONS") return status >= 500 ? `${time} ${method} ${path} ${took} ${status}` : undefined;
  const [, workspace, route, , target, preview] = run;
  const what = [time, workspace, readable(target ?? preview ?? ""), route === "run" ? "async" : "sync", took];
  return [...what, verdict(status, jobState), ...(route === "run" && jobId ? [jobId] : [])].join(" ");
}

/** A script that failed answers 200 all the same. */
function verdict(status: number, jobState: string | undefined): string {
  if (status >= 400) return `failed: ${status}`;
  return jobState === undefined || jobState === "succeeded" ? "ok" : jobState;
}

function readable(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
