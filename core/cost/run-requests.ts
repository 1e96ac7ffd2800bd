import { memoryMb } from "../../contract/deployment/memory.ts";
import { assumedMs } from "./prices.ts";

/** An invocation of a function of the service. `waits`: it also waits for the run's script. */
interface Invocation {
  memoryMb: number;
  ms: number;
  waits?: true;
}

/** The requests of one run or call to AWS, without those for values outside of the run's record. */
export interface RunRequests {
  /** Units of the table and of its indexes. */
  writeUnits: number;
  indexWriteUnits: number;
  readUnits: number;
  messages: number;
  s3Gets: number;
  invocations: readonly Invocation[];
  /** The memory of the function that runs the script, if that is not the runner of its language. */
  scriptMb?: number;
}

/** Reads of a token, a user, a member, the permissions and the version. */
const ACCEPT_READS = 5;
const accepts = { memoryMb: memoryMb.run, ms: assumedMs.accept };
const executes = { memoryMb: memoryMb.worker, ms: assumedMs.execute, waits: true } as const;
const queued = {
  // The record, its claim and its end; the indexes `list` and `path`, and twice `due`.
  ...{ writeUnits: 3, indexWriteUnits: 4, readUnits: ACCEPT_READS },
  ...{ messages: 1, s3Gets: 0, invocations: [accepts, executes] },
} as const;

/** The counted requests of each kind of run. `npm run bench` compares them with what it counts, and a test with a run in its process. */
export const runRequests = {
  queued,
  /** `run` runs the script itself, for a caller who waits. */
  direct: { ...queued, writeUnits: 2, messages: 0, invocations: [{ ...accepts, waits: true }] },
  /** It has no path, and its code is read. */
  preview: { ...queued, indexWriteUnits: 3, readUnits: ACCEPT_READS + 2 },
  /** Its call of `step` creates and ends the job, and writes the outcome. */
  step: {
    ...{ writeUnits: 3, indexWriteUnits: 5, readUnits: 7 },
    ...{ messages: 0, s3Gets: 0, invocations: [{ memoryMb: memoryMb.step, ms: assumedMs.execute, waits: true }] },
  },
  /** The job of a flow, without its steps and transitions. */
  flow: {
    ...{ writeUnits: 4, indexWriteUnits: 6, readUnits: ACCEPT_READS + 3 },
    ...{ messages: 1, s3Gets: 1, invocations: [accepts, { memoryMb: memoryMb.worker, ms: assumedMs.execute }] },
  },
  /** A call of `step` that runs no script: it begins or ends an iteration, a branch or a wait. */
  call: {
    ...{ writeUnits: 1, indexWriteUnits: 0, readUnits: 15 },
    ...{ messages: 0, s3Gets: 0, invocations: [{ memoryMb: memoryMb.step, ms: assumedMs.execute }] },
  },
  /** A job that builds a script or a flow. */
  build: {
    ...{ writeUnits: 6, indexWriteUnits: 1, readUnits: 5 },
    ...{ messages: 0, s3Gets: 0, invocations: [{ memoryMb: memoryMb.worker, ms: 0, waits: true }], scriptMb: memoryMb.builder },
  },
} as const satisfies Record<string, RunRequests>;
export type RunKind = Exclude<keyof typeof runRequests, "call">;
