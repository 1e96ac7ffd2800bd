import {
  type AnySchema,
  any,
  type BooleanSchema,
  boolean,
  type Condition,
  Entity,
  type FormattedItem,
  item,
  type NumberSchema,
  number,
  type StringSchema,
  string,
  type UpdateAttributesInput,
} from "dynamodb-toolbox";
import * as z from "zod";
import { defined, mapDefined } from "../../contract/defined.ts";
import { type JobField, jobFields, tableIndexes } from "../../core/jobs/record/fields.ts";
import { buildListKey, computeShard, hasEnded, type Job, jobSchema, type RunningJob } from "../../core/jobs/record/job.ts";
import { UnreadableRecordError } from "../../core/records/record-format.ts";
import { indexEnded } from "./job-indexes.ts";
import { jobsTable as table } from "./jobs-client.ts";
import { nameAttributes } from "./stored-names.ts";

const HEAD = "job";

type AttributeProps<F extends JobField> = {
  savedAs: F["stored"];
  required: F extends { when: string } ? "never" : undefined extends z.input<F["schema"]> ? "never" : "atLeastOnce";
};
type AttributeOf<F extends JobField, V = NonNullable<z.output<F["schema"]>>> = [V] extends [string]
  ? StringSchema<AttributeProps<F>>
  : [V] extends [number]
    ? NumberSchema<AttributeProps<F>>
    : [V] extends [boolean]
      ? BooleanSchema<AttributeProps<F>>
      : AnySchema<AttributeProps<F>>;
type AttributesOf<G extends Record<string, JobField>> = { [K in keyof G]: AttributeOf<G[K]> };

/** Returns the attributes of the table for fields of a job. An attribute of another type than text, number or truth value is replaced as a whole. */
function toAttributes<G extends Record<string, JobField>>(fields: G): AttributesOf<G> {
  const attributes = Object.entries(fields).map(([name, { stored, schema, when }]) => {
    const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.def.innerType : schema;
    const savedAs = createAttribute(inner as z.ZodType).savedAs(stored);
    return [name, when !== undefined || inner !== schema ? savedAs.optional() : savedAs];
  });
  return Object.fromEntries(attributes) as AttributesOf<G>;
}

function createAttribute(schema: z.ZodType) {
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat || schema instanceof z.ZodEnum) return string();
  if (schema instanceof z.ZodNumber) return number();
  return schema instanceof z.ZodBoolean || schema instanceof z.ZodLiteral ? boolean() : any();
}

const { id, expiresAtMs, ...sameFields } = jobFields;

/**
 * The head item. DynamoDB bills an update by the size of the whole item, names of attributes included, which must stay under 1 KB. That is why stored names
 * are short. This entity maps them, so that the names are spelled out everywhere else.
 */
export const HeadEntity = new Entity({
  name: "job",
  table,
  entityAttribute: false,
  timestamps: false,
  schema: item({
    ...toAttributes(sameFields),
    id: string().key().savedAs(id.stored),
    sk: string().key().default(HEAD),
    expiresAtS: number().savedAs(expiresAtMs.stored),
    listPartition: string().savedAs(tableIndexes.list.partitionKey.name),
    listSort: string().savedAs(tableIndexes.list.sortKey.name),
    pathPartition: string().savedAs(tableIndexes.path.partitionKey.name).optional(),
    duePartition: string().savedAs(tableIndexes.due.partitionKey.name).optional(),
    dueAtMs: number().savedAs(tableIndexes.due.sortKey.name).optional(),
  }),
});
export type HeadItem = FormattedItem<typeof HeadEntity>;
export const toHeadItem = nameAttributes(HeadEntity);
/** The stored key of a job's head. */
export const headKeyOf = (id: string) => ({ pk: id, sk: HEAD });
export type HeadChange = Omit<UpdateAttributesInput<typeof HeadEntity>, "id" | "sk">;
/** The fields that claiming a job changes. */
export type AttemptChange = Pick<RunningJob, "state" | "nonce" | "leaseUntilMs" | "startedAtMs" | "worker" | "attempt">;
export type HeadCondition = Condition<typeof HeadEntity>;

/** Values too large for the head, chunks of output, and jobs that wait for a build: children of a job or of a version. */
export const ChildEntity = new Entity({
  name: "child",
  table,
  entityAttribute: false,
  timestamps: false,
  schema: item({
    parent: string().key().savedAs("pk"),
    ref: string().key().savedAs("sk"),
    json: string().savedAs("j").optional(),
    /** Output, or its key in S3, and its length in characters. */
    text: string().savedAs("t").optional(),
    s3Key: string().savedAs("k").optional(),
    chars: number().savedAs("n").optional(),
    /** The number of changes, for items whose writers must name the version that they have read. */
    version: number().savedAs("v").optional(),
    expiresAtS: number().savedAs("ttl"),
  }),
});
export type Child = FormattedItem<typeof ChildEntity>;
export const toChild = nameAttributes(ChildEntity);

/** Throws `UnreadableRecordError`. */
export function toJob(head: HeadItem): Job {
  const { expiresAtS, ...fields } = head;
  const erased = head.endedAtMs === undefined ? {} : { erased: head.erased ?? false };
  const job = jobSchema.safeParse({ ...fields, ...erased, expiresAtMs: expiresAtS * 1000 });
  if (!job.success) throw new UnreadableRecordError({ parent: head.id, ref: head.sk }, { cause: job.error });
  return job.data;
}

/** DynamoDB removes expired items late, so they are ignored. */
export const isLive = ({ expiresAtS }: HeadItem) => expiresAtS * 1000 > Date.now();

/** The fields by which housekeeping finds a job that is due. */
export const dueAt = (id: string, atMs: number) => ({ duePartition: `due#${computeShard(id)}`, dueAtMs: atMs });

export function toHead(job: Job, dueAtMs: number | undefined) {
  const { expiresAtMs, retention, ...fields } = job;
  const shard = computeShard(job.id);
  return {
    ...fields,
    ...(retention === "short" ? {} : { retention }),
    expiresAtS: Math.ceil(expiresAtMs / 1000),
    listPartition: `${job.workspace}#${shard}`,
    listSort: buildListKey(job.createdAtMs, job.id),
    ...defined({ pathPartition: mapDefined(job.path, (path) => `${job.workspace}#${shard}#${path}`) }),
    ...(dueAtMs === undefined ? hasEnded(job) && indexEnded(job, job.state) : dueAt(job.id, dueAtMs)),
  };
}
