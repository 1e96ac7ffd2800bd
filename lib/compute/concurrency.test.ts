import { describe, expect, it } from "vitest";
import { parseConfig, reservedForSteps, workersForEachQueue } from "../config.ts";
import { aStack } from "../stack-fixture.ts";
import { aws, descriptions, fn, locally } from "../stack-rights.ts";

/** Lambda's default quota for concurrent executions of an account in a region, and what it requires to remain unreserved. */
const QUOTA = 1000;
const MIN_UNRESERVED = 100;
const JOBS_PER_WORKER = 10;

const reservations = (template: typeof aws) =>
  Object.values(template.findResources("AWS::Lambda::Function")).map(({ Properties }) =>
    Number(Properties.ReservedConcurrentExecutions ?? 0),
  );
/** The maximum concurrency of the queues of deliveries. */
const sendersOf = (template: typeof aws) =>
  Object.values(template.findResources("AWS::Lambda::EventSourceMapping")).flatMap(({ Properties }) =>
    JSON.stringify(Properties.EventSourceArn).includes('"Deliveries') ? [Number(Properties.ScalingConfig.MaximumConcurrency)] : [],
  );
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

describe("Lambda's concurrency quota", () => {
  it("leaves what Lambda requires to remain unreserved", () => {
    expect(sum(reservations(aws)) + MIN_UNRESERVED).toBeLessThanOrEqual(QUOTA);
  });

  it("suffices for all reservations, all workers and the runners of all their jobs and steps, with 84 left for synchronous runs and 16 senders of deliveries", () => {
    const config = parseConfig({});
    const steps = reservedForSteps(config);
    const workers = 2 * workersForEachQueue(config);
    expect({ reserved: sum(reservations(aws)), steps, workers }).toEqual({ reserved: 250, steps: 100, workers: 50 });
    const senders = sum(sendersOf(aws));
    expect(senders).toBe(16);
    expect(sum(reservations(aws)) + workers + workers * JOBS_PER_WORKER + steps + senders + 84).toBeLessThanOrEqual(QUOTA);
  });

  it("has a share for the steps of flows, which queued jobs cannot use up", () => {
    const reservedOf = (template: typeof aws) => fn(template, descriptions.step).properties.ReservedConcurrentExecutions;
    expect(reservedOf(aws)).toBe(100);
    expect(reservedOf(aStack({ stepConcurrency: 300 }).template)).toBe(300);
    expect(reservedOf(aStack({ reservedConcurrency: 0 }).template)).toBeUndefined();
    expect(reservedOf(locally.template)).toBeUndefined();
  });
});
