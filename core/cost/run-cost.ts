import { isFlowJob, type Job } from "../jobs/record/job.ts";
import { prices } from "./prices.ts";
import { type RunKind, type RunRequests, runRequests } from "./run-requests.ts";

/** A part of an estimate. Amounts are in dollars. */
export interface CostLine {
  what: string;
  quantity: number;
  unit: string;
  unit_price: number;
  amount: number;
}

/** The measured quantities of a run. */
export interface RunMeasures {
  kind: RunKind;
  /** One request of the REST API started it. */
  viaApi: boolean;
  attempts: number;
  /** The time from its claim to its end in ms. Zero for a run that took a cached result. */
  ranMs: number;
  /** No script ran, because the result of an earlier run was used. */
  cached: boolean;
  runnerMemoryMb: number;
  /** The sizes of the arguments and of the result if they are items of the table, and that of the output. */
  argsBytes: number;
  resultBytes: number;
  logBytes: number;
  /** The number of values that are objects in S3. */
  s3Values: number;
  /** For a flow: the state transitions of its executions, and the calls of `step` that ran no script. */
  transitions: number;
  calls: number;
}

/** Kinds of triggers that start a run by a request to the REST API. */
const API_TRIGGERS: ReadonlySet<string> = new Set(["webhook", "http", "ui", "app"]);

/** Returns the kind of a run. A worker whose name begins with that of a function for requests ran it for a caller who waited. */
export function findRunKind(job: Job): RunKind {
  if (isFlowJob(job)) return "flow";
  if (job.step) return "step";
  if (job.kind.endsWith("dependencies")) return "build";
  const worker = job.state === "queued" ? undefined : job.worker;
  if (worker !== undefined && /^(run|routes)-/.test(worker)) return "direct";
  return job.kind === "preview" ? "preview" : "queued";
}

/** Returns whether a request of the REST API started a run. */
export const isApiRun = ({ trigger, step, kind }: Job): boolean => API_TRIGGERS.has(trigger) && !step && !kind.endsWith("dependencies");

const unitsOf = (bytes: number, unitBytes: number) => Math.ceil(bytes / unitBytes);
const GB_MB = 1024;

/** Rounds a quantity or dollars, without the noise of sums of doubles. */
export const round = (value: number) => Math.round(value * 1e12) / 1e12;

/** Estimates the cost of a run at list prices from its measured quantities and the counted requests of its kind. */
export function estimateRun(run: RunMeasures): { lines: CostLine[]; total: number } {
  const requests: RunRequests = runRequests[run.kind];
  const repeated = Math.max(0, run.attempts - 1);
  const runsScript = run.kind !== "flow" && !run.cached;
  // The output and the result are in one item if both fit.
  const valueWrites = unitsOf(run.argsBytes, 1024) + unitsOf(run.resultBytes + run.logBytes, 1024);
  const calls: RunRequests = runRequests.call;
  const scriptGb = (requests.scriptMb ?? run.runnerMemoryMb) / GB_MB;
  const gbSecondsOf = ({ invocations }: RunRequests) =>
    invocations.reduce((sum, { memoryMb, ms, waits }) => sum + (memoryMb / GB_MB) * ((ms + (waits ? run.ranMs : 0)) / 1000), 0);
  const gbSeconds = gbSecondsOf(requests) + run.calls * gbSecondsOf(calls) + (runsScript ? (run.ranMs / 1000) * scriptGb : 0);
  const messages = requests.messages + repeated;
  const quantities: [string, number, string, number][] = [
    ["API requests", run.viaApi ? 1 : 0, "request", prices.restApiRequest],
    [
      "Lambda requests",
      requests.invocations.length + run.calls * calls.invocations.length + (runsScript ? 1 : 0) + 2 * repeated,
      "request",
      prices.lambdaRequest,
    ],
    ["Lambda memory and time", gbSeconds, "GB-second", prices.lambdaGbSecond],
    [
      "DynamoDB writes",
      requests.writeUnits + requests.indexWriteUnits + valueWrites + 2 * repeated + run.calls * calls.writeUnits,
      "write unit",
      prices.writeUnit,
    ],
    ["DynamoDB reads", requests.readUnits + unitsOf(run.argsBytes, 4096) + run.calls * calls.readUnits, "read unit", prices.readUnit],
    // Each message is sent, received and deleted.
    ["SQS requests", 3 * messages, "request", prices.sqsRequest],
    ["S3 writes", run.s3Values, "request", prices.s3Put],
    ["S3 reads", requests.s3Gets + run.s3Values, "request", prices.s3Get],
    ["Step Functions state transitions", run.transitions, "transition", prices.stateTransition],
  ];
  const lines = quantities
    .filter(([, quantity]) => quantity > 0)
    .map(([what, quantity, unit, unit_price]) => ({
      what,
      quantity: round(quantity),
      unit,
      unit_price,
      amount: round(quantity * unit_price),
    }));
  return { lines, total: round(lines.reduce((sum, { amount }) => sum + amount, 0)) };
}
