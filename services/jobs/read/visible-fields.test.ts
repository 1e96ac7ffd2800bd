import { expect, it } from "vitest";
import { jobTable } from "../../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../../aws/dynamodb/object-table.ts";
import { storage } from "../../../aws/s3/storage.ts";
import { type JobField, type JobFieldName, jobFields } from "../../../core/jobs/record/fields.ts";
import { type Job, jobSchema } from "../../../core/jobs/record/job.ts";
import { loadJobJson } from "./read.ts";

const value = (text: string) => ({ in: "head", json: JSON.stringify({ content: text }) });
const flow = { execution: 0 };
const step = { scope: "", path: "" };

/** Two values of each field: those of a job, and another one. A new field needs a row. */
const values = {
  id: ["00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"],
  workspace: ["ops", "dev"],
  kind: ["script", "preview"],
  path: ["f/a/b", "f/a/c"],
  hash: ["0123456789abcdef", "fedcba9876543210"],
  language: ["bun", "python3"],
  createdBy: ["ann", "bob"],
  email: ["ann@example.com", "bob@example.com"],
  starter: ["ann@example.com", "bob@example.com"],
  origin: ["ann@example.com", "bob@example.com"],
  permissionedAs: ["u/ann", "u/bob"],
  delegatedBy: [undefined, { kind: "script", path: "f/a/b" }],
  superAdmin: [false, true],
  createdAtMs: [1, 2],
  scheduledForMs: [undefined, 5],
  parent: [undefined, "parent"],
  root: [undefined, "root"],
  tree: [undefined, "tree"],
  flowRoot: [undefined, "root"],
  tag: ["bun", "other"],
  trigger: ["webhook", "schedule"],
  schedulePath: [undefined, "f/a/s"],
  triggerPath: [undefined, "f/a/t"],
  claimer: [undefined, "schedule"],
  endContinuesSchedule: [undefined, true],
  timeoutS: [300, 301],
  labels: [undefined, ["billing"]],
  priority: [undefined, 1],
  concurrency: [undefined, { group: "g", limit: 1 }],
  args: [value("a"), value("b")],
  redactedArgs: [undefined, value("***")],
  hiddenArgs: [undefined, []],
  argsPreview: [undefined, "a"],
  preprocess: ["wanted", "done"],
  flow: [flow, { execution: 1 }],
  earlyReturn: [undefined, { jobId: "j", location: value("early") }],
  step: [undefined, { ...step, id: "a" }],
  suspends: [undefined, 1],
  consents: [undefined, 1],
  chats: [undefined, 1],
  sleepsUntilMs: [undefined, 5],
  code: [value("1"), value("2")],
  attempt: [1, 2],
  losses: [0, 1],
  delays: [undefined, 1],
  cancel: [undefined, { by: "ann", reason: "" }],
  watchedUntilMs: [undefined, 5],
  logChars: [0, 1],
  memPeakKb: [undefined, 1],
  progress: [undefined, 50],
  cacheTtlS: [undefined, 60],
  cacheKey: [undefined, "key"],
  masks: [undefined, 1],
  secretsAtMs: [undefined, 5],
  lastPingMs: [undefined, 5],
  eraseAfterS: [undefined, 60],
  isHandler: [undefined, true],
  successHandled: [undefined, true],
  erasesSteps: [undefined, "all"],
  retention: ["short", "long"],
  expiresAtMs: [1e12, 2e12],
  startedAtMs: [3, 4],
  worker: ["w", "v"],
  nonce: ["n", "m"],
  leaseUntilMs: [1, 2],
  endedAtMs: [5, 6],
  result: [value("r"), value("s")],
  redactedResult: [undefined, value("***")],
  resultPreview: [undefined, "r"],
  cachedFrom: [undefined, "earlier"],
  erased: [false, true],
  eraseAtMs: [undefined, 5],
  stopping: [undefined, { by: "ann", reason: "" }],
  followUp: [undefined, true],
  outcomeCount: [undefined, { failures: 1, successes: 0 }],
} satisfies Record<Exclude<JobFieldName, "state">, [unknown, unknown]>;

const names = Object.keys(values) as (keyof typeof values)[];
/** The output, the progress and the previews are in other replies: those about the log, job updates, and lists. */
const shownElsewhere: readonly string[] = ["logChars", "progress", "hiddenArgs", "argsPreview", "resultPreview"];

const aJob = (state: Job["state"], changed?: keyof typeof values): Job =>
  jobSchema.parse({ state, ...Object.fromEntries(names.map((name) => [name, values[name][name === changed ? 1 : 0]])) });

/** The JSON of a job in each state. */
async function showJob(changed?: keyof typeof values): Promise<string> {
  const deps = { jobs: jobTable, objects: objectTable, storage };
  const states = ["queued", "running", "succeeded"] as const;
  const parts = { args: true, result: true, code: true };
  return JSON.stringify(await Promise.all(states.map((state) => loadJobJson(deps, aJob(state, changed), parts))));
}

it.each(names)("the JSON of a job depends on its field %s only if the table of fields says that readers see it", async (name) => {
  const field: JobField = jobFields[name];
  const isShown = field.seenBy === "readers" && !shownElsewhere.includes(name);
  expect((await showJob(name)) !== (await showJob())).toBe(isShown);
});
