import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { SHARDS } from "../../core/jobs/record/job.ts";
import { parseConfig } from "../config.ts";
import { aws, descriptions, fn } from "../stack-rights.ts";
import { divideConcurrency } from "./concurrency.ts";

const PAGE = "../../docs/aws.md";
const START = "<!-- ceilings: start -->";
const END = "<!-- ceilings: end -->";

/** Default quotas of AWS, from the pages "Lambda quotas", "Amazon API Gateway quotas" and "Service, account, and table quotas in Amazon DynamoDB". */
const quotas = {
  executions: 1000,
  /** Invocations a second for each execution of the concurrency. */
  invocationsOfExecution: 10,
  newExecutionsOfFunction: 100,
  pollersOfQueue: 1000,
  requestsOfApis: 10_000,
  writesOfTable: 40_000,
  writesOfPartition: 1000,
  flowStarts: 300,
};
/** The writes of an asynchronous job to the table, and to its index `due` (docs/performance.md). */
const writes = { table: 4, due: 2 };

const found = <T>(value: T | undefined): T => value ?? expect.fail("the template lacks it");
const queueMapping = found(
  Object.values(aws.findResources("AWS::Lambda::EventSourceMapping")).find(({ Properties }) =>
    JSON.stringify(Properties.FunctionName).includes(fn(aws, descriptions.worker).id),
  ),
).Properties;
const reserved = Object.values(aws.findResources("AWS::Lambda::Function")).reduce(
  (sum, { Properties }) => sum + Number(Properties.ReservedConcurrentExecutions ?? 0),
  0,
);
const [stage] = Object.values(aws.findResources("AWS::ApiGateway::Stage"));
const throttle = Number(found(stage).Properties.MethodSettings[0].ThrottlingRateLimit);
const small = divideConcurrency(parseConfig({ reservedConcurrency: 0 }));

/** The rate of one-second jobs that reaches a limit, and the setting or quota that changes the limit. */
const ceilings = [
  {
    what: "workers of the queue",
    atS: queueMapping.ScalingConfig.MaximumConcurrency * queueMapping.BatchSize,
    knob: "`workerConcurrency`, `workerBatchSize`",
  },
  {
    what: "new environments of a runner, if each job has another identity",
    atS: quotas.newExecutionsOfFunction,
    knob: "`tenancy`: `workspace`",
  },
  {
    what: "unreserved executions: a worker and a runner for each job",
    atS: (quotas.executions - reserved) / (1 + 1 / queueMapping.BatchSize),
    knob: "Lambda quota `L-B99A9384`",
  },
  { what: "starts of executions, if each job is a flow", atS: quotas.flowStarts, knob: "Step Functions quota *StartExecution throttle*" },
  {
    what: "requests to `run`, one for each job",
    atS: fn(aws, descriptions.run).properties.ReservedConcurrentExecutions * quotas.invocationsOfExecution,
    knob: "`runConcurrency`",
  },
  { what: "requests to the API", atS: throttle, knob: "`throttlingRateLimit` in `lib/api/api.ts`" },
  {
    what: "pollers of a queue",
    atS: quotas.pollersOfQueue * queueMapping.BatchSize,
    knob: "`workerBatchSize`, the queue of jobs with a priority",
  },
  {
    what: "writes to the index `due`",
    atS: (SHARDS * quotas.writesOfPartition) / writes.due,
    knob: "`SHARDS` in `core/jobs/record/job.ts`",
  },
  { what: "requests to all APIs of the account", atS: quotas.requestsOfApis, knob: "API Gateway quota `L-8A5B8E43`" },
  {
    what: "writes to the table of jobs",
    atS: quotas.writesOfTable / writes.table,
    knob: "DynamoDB quota *Table-level write throughput limit*",
  },
].toSorted((one, other) => one.atS - other.atS);

const text = (count: number) => count.toLocaleString("en-US");

function tables(): string {
  const byRate = [10, 100, 1000, 10_000].map((rate) => {
    const reached = ceilings.filter(({ atS }) => atS < rate).map(({ what, atS }) => `${what} (${text(atS)})`);
    const first =
      reached[0] ?? `nothing; in an account with a quota of 10, workers of the queue (${small.workers * small.messagesOfWorker})`;
    return `| ${text(rate)} | ${first} | ${reached.slice(1).join("; ") || "nothing"} |`;
  });
  const knobs = ceilings.map(({ what, atS, knob }) => `| ${text(atS)} | ${what} | ${knob} |`);
  return [
    "| jobs/s | reached first | then |",
    "|---|---|---|",
    ...byRate,
    "",
    "| at jobs/s | what | changed by |",
    "|---|---|---|",
    ...knobs,
  ].join("\n");
}

it("docs/aws.md states what is reached first at 10, 100, 1,000 and 10,000 jobs a second", async () => {
  const page = await readFile(new URL(PAGE, import.meta.url), "utf8");
  const [before, rest] = page.split(START);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${PAGE} lacks its markers ${START} and ${END}.`);
  await expect(`${before}${START}\n${tables()}\n${END}${after}`).toMatchFileSnapshot(PAGE);
});
