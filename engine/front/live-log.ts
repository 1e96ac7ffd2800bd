import type { FrontEvent } from "./front.ts";

/**
 * Returns a line for each response with a status of 500 and above, and for each refused run, which never ends because it never started: `12:03:11 demo
 * f/examples/hello_bun refused: 404`. Ended runs have separate lines (`ended-runs.ts`).
 */
export function liveLine({ method, path, status, ms }: FrontEvent, at: Date): string | undefined {
  const time = at.toTimeString().slice(0, 8);
  const run = /^\/api\/w\/([^/]+)\/jobs\/(?:run|run_wait_result|run_and_stream)\/(?:(?:p|h|f|fv)\/(.+)|(preview|preview_flow))$/.exec(path);
  if (run && method !== "OPTIONS" && status >= 400 && status < 500) {
    const [, workspace, target, preview] = run;
    return `${time} ${workspace} ${readable(target ?? preview ?? "")} refused: ${status}`;
  }
  return status >= 500 ? `${time} ${method} ${path} ${Math.round(ms)} ms ${status}` : undefined;
}

function readable(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
