import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { env } from "../../contract/env.ts";
import { parseConfig } from "../config.ts";
import { aStack } from "../stack-fixture.ts";
import { aws, descriptions, fn, locally } from "../stack-rights.ts";
import { divideConcurrency } from "./concurrency.ts";

/** Lambda's default quota for concurrent executions of an account in a region, and what it requires to remain unreserved. */
const QUOTA = 1000;
const MIN_UNRESERVED = 100;
/** Runners of synchronous runs that the division counts: not every execution of `run` and `routes` waits for one. */
const SYNC_RUNNERS = 100;
const DEAD_LETTER_CONSUMERS = 2;

type Template = typeof aws;
const reservations = (template: Template) =>
  Object.values(template.findResources("AWS::Lambda::Function")).map(({ Properties }) =>
    Number(Properties.ReservedConcurrentExecutions ?? 0),
  );
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

/** The maximum concurrency of each function that Lambda's pollers invoke, and the queues of each. */
function polled(template: Template): Record<string, number[]> {
  const found: Record<string, number[]> = {};
  for (const { Properties } of Object.values(template.findResources("AWS::Lambda::EventSourceMapping"))) {
    if (!Properties.ScalingConfig) continue;
    const [name = ""] = Object.entries(descriptions).find(([, text]) => fn(template, text).id === Properties.FunctionName.Ref) ?? [];
    found[name] = [...(found[name] ?? []), Number(Properties.ScalingConfig.MaximumConcurrency)];
  }
  // On AWS, the function connect makes the mapping of the queue of triggers.
  found["receive"] ??= [Number(fn(template, descriptions.connect).properties.Environment.Variables[env.triggerConcurrency])];
  return found;
}
const reservedOf = (template: Template, name: keyof typeof descriptions): number | undefined =>
  fn(template, descriptions[name]).properties.ReservedConcurrentExecutions;

describe("Lambda's concurrency quota", () => {
  it("leaves what Lambda requires to remain unreserved", () => {
    expect(sum(reservations(aws)) + MIN_UNRESERVED).toBeLessThanOrEqual(QUOTA);
  });

  it("suffices for all reservations, all workers and all runners of jobs, steps and synchronous runs, with 47 left, as docs/aws.md says", () => {
    const { reserved, workers, messagesOfWorker } = divideConcurrency(parseConfig({}));
    expect(sum(reservations(aws))).toBe(sum(Object.values(reserved)));
    const queues = polled(aws);
    expect(queues).toEqual({ worker: [60, 60], deadLetter: [DEAD_LETTER_CONSUMERS], deliver: [8, 8], receive: [25] });
    const table = {
      "reserved for the API's functions, and for `beat`": reserved.api + reserved.beat,
      "reserved for `approve`": reserved.approve,
      "reserved for `step`": reserved.step,
      "reserved for `run`": reserved.run,
      "reserved for `routes`": reserved.routes,
      "reserved for `stream`": reserved.stream,
      "workers of both queues": sum(queues["worker"] ?? []),
      "runners of the workers' jobs": 2 * workers * messagesOfWorker,
      "runners of the steps": reserved.step,
      "runners of synchronous runs": SYNC_RUNNERS,
      "senders of deliveries, receivers of triggers, consumers of dead letters": 16 + 25 + DEAD_LETTER_CONSUMERS,
    };
    const rest = QUOTA - sum(Object.values(table));
    expect(rest).toBe(47);
    const page = readFileSync(join(import.meta.dirname, "../../docs/aws.md"), "utf8");
    const all = { ...table, "everything else: builds, housekeeping, workers of synchronous runs with references": rest };
    const rows = Object.entries(all).map(([what, executions]) => `| ${what} | ${executions} |`);
    const sentence = `Lambda requires ${MIN_UNRESERVED} executions to remain unreserved; ${QUOTA - sum(reservations(aws))} do.`;
    expect([...rows, sentence].filter((row) => !page.includes(row))).toEqual([]);
  });

  it("has a share for the steps of flows, which queued jobs cannot use up", () => {
    expect(reservedOf(aws, "step")).toBe(100);
    expect(reservedOf(aStack({ stepConcurrency: 300 }).template, "step")).toBe(300);
  });

  it("limits the requests that callers and readers keep open, so that they cannot use up the unreserved concurrency", () => {
    const ceilings = { run: 100, routes: 50, stream: 100 } as const;
    const settings = { runConcurrency: 7, routesConcurrency: 8, streamConcurrency: 9 };
    const set = aStack(settings).template;
    for (const name of ["run", "routes", "stream"] as const) {
      expect(reservedOf(aws, name)).toBe(ceilings[name]);
      expect(reservedOf(set, name)).toBe(settings[`${name}Concurrency`]);
    }
    const unreserved = QUOTA - sum(reservations(aws));
    const ofQueues = sum(Object.values(polled(aws)).flat());
    // The pollers of all queues find executions while all callers and readers wait.
    expect(unreserved).toBeGreaterThan(2 * ofQueues);
  });

  it("limits no function of a queue below the number of its pollers' invocations, which Lambda would then refuse", () => {
    for (const template of [aws, aStack({ workerConcurrency: 200, reservedConcurrency: 90 }).template]) {
      for (const [name, concurrency] of Object.entries(polled(template))) {
        const reserved = reservedOf(template, name as keyof typeof descriptions);
        expect(reserved === undefined || reserved >= sum(concurrency), name).toBe(true);
      }
    }
  });

  it("is not divided on the local engine", () => {
    expect(sum(reservations(locally.template))).toBe(0);
  });
});

describe("an account with a quota of 10", () => {
  const { template } = aStack({ reservedConcurrency: 0 });

  it("has no reservation, which Lambda would refuse", () => {
    expect(sum(reservations(template))).toBe(0);
  });

  it("has as few pollers as SQS allows, each with one job, so that the runners of all workers find executions", () => {
    expect(polled(template)).toEqual({ worker: [2, 2], deadLetter: [2], deliver: [2, 2], receive: [2] });
    const { workers, messagesOfWorker } = divideConcurrency(parseConfig({ reservedConcurrency: 0 }));
    expect(2 * workers * (1 + messagesOfWorker)).toBeLessThanOrEqual(10 - 2);
  });
});
