import { randomBytes } from "node:crypto";
import type { Child } from "../../../aws/dynamodb/job-items.ts";
import { childPrefix } from "../../../core/jobs/lists/child-items.ts";
import type { QueuedJob } from "../../../core/jobs/record/job.ts";
import { expiryBeforeEndMs, objectPrefix, waitsTooLong } from "../../../core/jobs/record/retention.ts";
import type { ValueLocation } from "../../../core/jobs/record/value-ref.ts";
import type { Uses } from "../../uses.ts";

/**
 * Changes a queued job to one with `long` retention when it has waited for half a day, for example for a slot of its concurrency group: otherwise
 * its data would expire by the time of its creation. Its objects are copied first; the record and its items change in one transaction.
 */
export async function retainWaitingJob(deps: Uses<"jobs" | "objects" | "storage" | "nowMs">, job: QueuedJob): Promise<void> {
  if (!waitsTooLong(job, deps.nowMs())) return;
  const { jobs, objects, storage } = deps;
  const retained = { ...job, retention: "long" as const, expiresAtMs: expiryBeforeEndMs("long", job) };
  const expiresAtS = Math.ceil(retained.expiresAtMs / 1000);
  const copies = new Map<string, string>();
  const refs: string[] = [];
  const move = async (value: ValueLocation): Promise<ValueLocation> => {
    if (value.in === "item") refs.push(value.ref);
    if (value.in !== "s3") return value;
    // The name is new, so a failure here removes no object that an equal call has copied.
    const key = `${objectPrefix(retained)}${randomBytes(6).toString("hex")}.json`;
    await storage.copyObject(value.key, key);
    copies.set(value.key, key);
    return { ...value, key };
  };
  const { args, redactedArgs, code, flow } = job;
  const change = {
    retention: retained.retention,
    expiresAtS,
    args: await move(args),
    ...(redactedArgs ? { redactedArgs: await move(redactedArgs) } : {}),
    ...(code ? { code: await move(code) } : {}),
    ...(flow?.reusedSteps ? { flow: { ...flow, reusedSteps: await move(flow.reusedSteps) } } : {}),
  };
  const { items } = await jobs.getWith(job.id, refs, { head: false });
  const masks = job.masks === undefined ? [] : await jobs.listChildren(job.id, childPrefix.mask);
  const children: Child[] = [...items.values(), ...masks];
  const isUnchanged = {
    and: [
      { attr: "state", eq: "queued" } as const,
      { attr: "attempt", eq: job.attempt } as const,
      { attr: "retention", exists: false } as const,
    ],
  };
  const refused = await objects.transactWrite([
    { raw: jobs.updateParams(job.id, change, isUnchanged) },
    ...children.map((child) => ({ raw: jobs.putChildParams({ ...child, expiresAtS }) })),
  ]);
  for (const [original, copy] of copies) await storage.deleteObject(refused === undefined ? original : copy);
}
