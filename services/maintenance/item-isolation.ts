import { randomUUID } from "node:crypto";
import type { classifyAwsError } from "../../aws/sdk/aws-errors.ts";
import { defined } from "../../contract/defined.ts";
import { isSvcError } from "../../contract/errors.ts";
import type { FailedItem } from "../../core/jobs/periodic-task.ts";
import { failedItemObject } from "../../core/jobs/periodic-task.ts";
import { type StoredObject, unchangedSince } from "../../core/objects/write.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import type { Uses } from "../uses.ts";

export interface IsolationDeps {
  objects: Pick<ObjectStore, "list" | "put" | "transactWrite">;
  nowMs: () => number;
  classifyAwsError: typeof classifyAwsError;
  /** Called for each failure, for the log. */
  onItemFailed(failure: Pick<FailedItem, "task" | "item" | "failures">, error: unknown): void;
}

/** The number of failures before an item is set aside. Until then, each tick processes it as usual. */
const FAILURES = 3;
const MINUTE_MS = 60_000;
/**
 * The maximum interval between two attempts, for an item that fails itself and for one whose AWS service fails, which recovers for all items at
 * once.
 */
const MAX_WAIT_MS = 6 * 3600_000;
const MAX_FAULT_WAIT_MS = 5 * MINUTE_MS;
/** Records are for operators. A record expires this long after the last failure. */
const KEPT_MS = 30 * 24 * 3600_000;
/** The number of records that one tick reads. Further items are processed as if they had not failed. */
const MAX_READ = 1000;
const ERROR_CHARS = 500;

/** Returns the time (ms) for which an item is set aside after this number of failures: 0 at first, then doubled with each further failure. */
export function setAsideMs(failures: number, maxMs: number = MAX_WAIT_MS): number {
  return failures < FAILURES ? 0 : Math.min(MINUTE_MS * 2 ** (failures - FAILURES + 1), maxMs);
}

export type Attempt<T> =
  | { ok: true; value: T }
  /** `untilMs`: the item is set aside until then (epoch ms). */
  | { ok: false; untilMs?: number };

/** Lists the items that failed, in the order of their tasks. */
export async function listFailedItems({ objects }: Uses<"objects">): Promise<FailedItem[]> {
  return failedItemObject.parseReadable(await objects.list(failedItemObject.partitionKey(), { limit: MAX_READ }));
}

/**
 * Isolates the items of periodic tasks from each other during one tick: an item that fails is recorded and, after three failures, set aside
 * for a growing time. Its failure never reaches the task. An item fails at most once in a tick.
 */
export class ItemIsolation {
  private readonly deps: IsolationDeps;
  private loading: Promise<Map<string, { stored: StoredObject; record: FailedItem }>> | undefined;
  private readonly failed = new Set<string>();

  constructor(deps: IsolationDeps) {
    this.deps = deps;
  }

  /**
   * Runs `work` for one item of a task, unless the item is set aside. A throttled call is not a failure of the item: the next tick repeats it.
   */
  async attempt<T>(task: string, item: string, work: () => Promise<T> | T): Promise<Attempt<T>> {
    const id = failedItemObject.key(task, item).sk;
    const setAside = (await this.known()).get(id);
    if (this.failed.has(id)) return { ok: false };
    if (setAside && setAside.record.nextMs > this.deps.nowMs()) return { ok: false, untilMs: setAside.record.nextMs };
    try {
      const value = await work();
      if (setAside) await this.forget(setAside.stored);
      return { ok: true, value };
    } catch (error) {
      this.failed.add(id);
      const untilMs = this.findRefusal(error) === "throttled" ? undefined : await this.record(task, item, error);
      return { ok: false, ...defined({ untilMs }) };
    }
  }

  /** Returns the reason for which AWS refused a call. The clients report most refusals as `service.busy`, whose cause is the error of AWS. */
  private findRefusal(error: unknown) {
    return this.deps.classifyAwsError(isSvcError(error) ? error.cause : error);
  }

  /** Returns whether an item failed in this tick or is set aside. */
  async isWaiting(task: string, item: string): Promise<boolean> {
    const id = failedItemObject.key(task, item).sk;
    return this.failed.has(id) || ((await this.known()).get(id)?.record.nextMs ?? 0) > this.deps.nowMs();
  }

  /** Returns whether an item has failed since it last succeeded. */
  async hasFailed(task: string, item: string): Promise<boolean> {
    const id = failedItemObject.key(task, item).sk;
    return this.failed.has(id) || (await this.known()).has(id);
  }

  /** Returns the number of items that failed so often that they are set aside. */
  async countSetAside(): Promise<number> {
    return [...(await this.known()).values()].filter(({ record }) => record.failures >= FAILURES).length;
  }

  /** Without the records, every item is processed as if none had failed. */
  private known() {
    this.loading ??= this.load().catch((error: unknown) => {
      reportFailure("The items that housekeeping has set aside could not be read", error);
      return new Map();
    });
    return this.loading;
  }

  private async load() {
    const objects = await this.deps.objects.list(failedItemObject.partitionKey(), { limit: MAX_READ });
    return new Map(
      objects.flatMap((stored) => {
        const [record] = failedItemObject.parseReadable([stored]);
        return record ? [[stored.sk, { stored, record }] as const] : [];
      }),
    );
  }

  /** Returns the time until which the item is set aside. If two ticks fail at once, only one counts. A failure to record it is only reported. */
  private async record(task: string, item: string, error: unknown): Promise<number | undefined> {
    const { objects, nowMs, onItemFailed } = this.deps;
    const key = failedItemObject.key(task, item);
    let failures = 1;
    try {
      const { stored: found, record: before } = (await this.known()).get(key.sk) ?? {};
      const now = nowMs();
      failures += before?.failures ?? 0;
      const waitMs = setAsideMs(failures, this.findRefusal(error) === "unavailable" ? MAX_FAULT_WAIT_MS : MAX_WAIT_MS);
      const text = (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, ERROR_CHARS);
      const value: FailedItem = {
        task,
        item,
        failures,
        firstAtMs: before?.firstAtMs ?? now,
        lastAtMs: now,
        nextMs: now + waitMs,
        error: text,
      };
      const object = { ...key, value, version: randomUUID(), expiresAtS: Math.ceil((now + KEPT_MS) / 1000) };
      const isCounted = await objects.put(object, found ? unchangedSince(found) : { absentOrExpiredAtS: Math.floor(now / 1000) });
      return isCounted && waitMs > 0 ? value.nextMs : undefined;
    } catch (cause) {
      reportFailure("A failed item of housekeeping could not be recorded", cause, { task, item });
      return undefined;
    } finally {
      onItemFailed({ task, item, failures }, error);
    }
  }

  private async forget(stored: StoredObject): Promise<void> {
    // Another tick may have counted a failure since.
    const removal = { op: "remove" as const, key: { pk: stored.pk, sk: stored.sk }, expect: unchangedSince(stored) };
    await this.deps.objects
      .transactWrite([removal])
      .catch((error: unknown) => reportFailure("The record of a failed item could not be removed", error, { item: stored.sk }));
  }
}
