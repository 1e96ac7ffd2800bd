import { appendFileSync } from "node:fs";
import { env } from "../../../contract/env.ts";
import type { EndedJobReport } from "../../../core/telemetry/telemetry.ts";

/** An ended run, for the terminal of the local engine. */
export interface EndedRun {
  id: string;
  workspace: string;
  kind: string;
  path?: string | undefined;
  state: string;
  trigger: string;
  triggerPath?: string | undefined;
  /** For a step: its module, and the path of its flow. */
  step?: string | undefined;
  flow?: string | undefined;
  ms: number;
}

/** Appends a run to the file that the terminal of the local engine follows. */
export function appendEndedRun(job: EndedJobReport): void {
  const file = process.env[env.endedRuns];
  if (!file) return;
  const { id, workspace, kind, path, state, trigger, triggerPath, schedulePath, step, endedAtMs } = job;
  const ms = endedAtMs - (job.startedAtMs ?? endedAtMs);
  const run: EndedRun = {
    id,
    workspace,
    kind,
    path,
    state,
    trigger,
    triggerPath: triggerPath ?? schedulePath,
    step: step?.id,
    flow: step?.flow,
    ms,
  };
  // One short line is appended as a whole, also if several functions write at once.
  appendFileSync(file, `${JSON.stringify(run)}\n`);
}
