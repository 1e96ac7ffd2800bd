import { randomBytes } from "node:crypto";
import { type Condition, DeleteTransaction, Entity, GetItemCommand, item, number, PutTransaction, string } from "dynamodb-toolbox";
import { computeShard } from "../../core/jobs/record/job.ts";
import { type NextRun, nextRunSchema, toNextRunId } from "../../core/schedules/next-run.ts";
import type { FoundNextRun, ScheduleStore } from "../../ports/schedule-store.ts";
import { jobsTable as table } from "./jobs-client.ts";

const NextRunEntity = new Entity({
  name: "nextRun",
  table,
  entityAttribute: false,
  timestamps: false,
  schema: item({
    id: string().key().savedAs("pk"),
    sk: string().key().default("schedule"),
    workspace: string().savedAs("ws"),
    /** Changes with each write. A writer must name the version that it has read. */
    version: string().savedAs("m"),
    schedule: string().savedAs("i"),
    tickMs: number().savedAs("t"),
    job: string().savedAs("j").optional(),
    last: string().savedAs("l").optional(),
    duePartition: string().savedAs("dp"),
    dueAtMs: number().savedAs("ds"),
  }),
});

const as = ({ version }: FoundNextRun) => ({
  condition: (version === undefined ? { attr: "id", exists: false } : { attr: "version", eq: version }) as Condition<typeof NextRunEntity>,
});

/** The next run of each enabled schedule. Each write is one part of a transaction, and conditional on the version that was read. */
export const scheduleTable = {
  /** Reads the item of the schedule at a path. Throws for an item that cannot be read. */
  async get(workspace: string, path: string): Promise<FoundNextRun> {
    const id = toNextRunId(workspace, path);
    const { Item } = await NextRunEntity.build(GetItemCommand).key({ id }).options({ consistent: true }).send();
    return Item ? { id, workspace, next: nextRunSchema.parse(Item), version: Item.version } : { id, workspace };
  },

  replaceParams(found: FoundNextRun, next: NextRun) {
    const { id, workspace } = found;
    const version = randomBytes(9).toString("base64");
    return NextRunEntity.build(PutTransaction)
      .item({ id, workspace, version, ...next, duePartition: `due#${computeShard(id)}` })
      .options(as(found))
      .params();
  },

  /** Without a condition for an item that did not exist. */
  removeParams(found: FoundNextRun) {
    const remove = NextRunEntity.build(DeleteTransaction).key({ id: found.id, sk: "schedule" });
    return remove.options(as(found)).params();
  },
} satisfies ScheduleStore;
