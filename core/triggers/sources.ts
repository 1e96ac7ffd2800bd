import * as z from "zod";
import { defined } from "../../contract/defined.ts";
import type { AwsFields, SqsFields } from "../../contract/routes/triggers/trigger-kinds.ts";
import { defineObject } from "../objects/define-object.ts";
import { defineInstanceSetting } from "../objects/setting.ts";
import type { StoredTrigger } from "./trigger.ts";
import { buildLocalPart } from "./trigger.ts";

/** A source for which function `connect` creates an event source mapping, a subscription or a rule in AWS. */
export const awsSourceSchema = z.discriminatedUnion("type", [
  /** A queue of the deployment's account and region, where its name is unique. */
  z.object({ type: z.literal("queue"), name: z.string() }),
  z.object({ type: z.literal("topic"), arn: z.string() }),
  z.object({ type: z.literal("rule"), id: z.string(), bus: z.string() }),
]);
export type AwsSource = z.infer<typeof awsSourceSchema>;

/** The entry by which a trigger is found when a message arrives. */
export type SourceEntry =
  /** Only one trigger of a workspace reads a queue. */
  | { at: "source"; sk: string; exclusive: boolean; connects: AwsSource }
  | { at: "poll" }
  /** The addresses of routes have separate entries. */
  | { at: "address" }
  /** Only one trigger of all workspaces has an address. */
  | { at: "mailbox"; localPart: string };

/** Returns the text that identifies a source in keys. */
export function sourceName(source: AwsSource): string {
  switch (source.type) {
    case "queue":
      return `queue#${source.name}`;
    case "topic":
      return `topic#${source.arn}`;
    default:
      return `rule#${source.bus}#${source.id}`;
  }
}

/** Returns the source of the key of an entry, or `undefined` if there is none. */
export function parseSourceName(sk: string): AwsSource | undefined {
  const [type, name = "", id = ""] = sk.split("#");
  if (type === "queue") return { type, name };
  if (type === "topic") return { type, arn: name };
  return type === "rule" ? { type, bus: name, id } : undefined;
}

/** Returns the entry by which messages find a trigger. */
export function findSourceEntry(workspace: string, { kind, id, own }: StoredTrigger): SourceEntry {
  if (kind === "http") return { at: "address" };
  if (kind === "email") return { at: "mailbox", localPart: buildLocalPart(workspace, own) };
  if (kind === "sqs") {
    const { aws_resource_path: keys, queue_url: url } = own as SqsFields;
    if (keys) return { at: "poll" };
    const queue = { type: "queue", name: parseQueueUrl(url)?.name ?? "" } as const;
    return { at: "source", sk: sourceName(queue), exclusive: true, connects: queue };
  }
  const { source, topic_arn: arn = "", bus } = own as AwsFields;
  const connects: AwsSource =
    source === "sns" ? { type: "topic", arn: arn ?? "" } : { type: "rule", id, bus: (source === "eventbridge" ? bus : null) ?? "default" };
  return { at: "source", sk: source === "sns" ? `${sourceName(connects)}#${id}` : sourceName(connects), exclusive: false, connects };
}

/** The setting of the instance that lists, for each workspace, the ARNs of the topics, event buses and buckets that its triggers may use. */
export const AWS_TRIGGER_SOURCES = "aws_trigger_sources";
export const awsTriggerSourcesSchema = z.record(
  z.string().max(50),
  z
    .array(z.string().regex(/^arn:[a-z-]+:(sns|events|s3):[^*?\s]+$/, "must be ARNs of topics, event buses and buckets, without wildcards"))
    .max(1000),
);
export const awsTriggerSourcesSetting = defineInstanceSetting(AWS_TRIGGER_SOURCES, awsTriggerSourcesSchema);

/** Returns the ARN that must be listed for a trigger, or `undefined` if one of the listed ARNs allows it. */
export function findMissingSource(fields: AwsFields, listed: readonly string[]): string | undefined {
  if (fields.source === "sns") return listed.includes(fields.topic_arn ?? "") ? undefined : (fields.topic_arn ?? "");
  if (fields.source === "s3") {
    const isListed = listed.some((arn) => /^arn:[a-z-]+:s3:::/.test(arn) && arn.slice(arn.lastIndexOf(":") + 1) === fields.bucket);
    return isListed ? undefined : `arn:aws:s3:::${fields.bucket}`;
  }
  const bus = fields.bus ?? "default";
  const isListed = listed.some((arn) => /^arn:[a-z-]+:events:/.test(arn) && arn.endsWith(`:event-bus/${bus}`));
  return isListed ? undefined : `the event bus ${bus}`;
}

/** Returns the names of the workspaces whose triggers may subscribe to a topic. */
export const findTopicWorkspaces = (sources: Readonly<Record<string, readonly string[]>>, arn: string): string[] =>
  Object.entries(sources).flatMap(([workspace, listed]) => (listed.includes(arn) ? [workspace] : []));

const escapeWildcard = (text: string) => text.replace(/[\\*]/g, "\\$&");

/** Returns the event pattern of a trigger's rule, as JSON text. A trigger on a bucket receives the events of this bucket only. */
export function buildEventPattern({ source, event_pattern: pattern, bucket, prefix, suffix, events }: AwsFields): string {
  if (source !== "s3") return JSON.stringify(pattern);
  const key = prefix || suffix ? { key: [{ wildcard: `${escapeWildcard(prefix ?? "")}*${escapeWildcard(suffix ?? "")}` }] } : undefined;
  return JSON.stringify({
    source: ["aws.s3"],
    "detail-type": events ?? ["Object Created"],
    detail: { bucket: { name: [bucket] }, ...defined({ object: key }) },
  });
}

/** The location of a queue according to its URL. `region` is absent for a URL that does not belong to AWS. */
export interface QueuePlace {
  region: string | undefined;
  account: string;
  name: string;
}

/** Returns the location of a queue, or `undefined` if the text is not the URL of a queue. */
export function parseQueueUrl(url: string): QueuePlace | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, pathname, protocol } = new URL(url);
  const [, account, name] = /^\/(?:queue\/)?(\d{12})\/([A-Za-z0-9_-]{1,80}(?:\.fifo)?)$/.exec(pathname) ?? [];
  if (account === undefined || name === undefined) return undefined;
  const region = /^(?:sqs\.([a-z0-9-]+)|([a-z0-9-]+)\.queue)\.amazonaws\.com(?:\.cn)?$/.exec(hostname);
  return { account, name, region: protocol === "https:" ? (region?.[1] ?? region?.[2]) : undefined };
}

/**
 * A source whose mapping, rule or subscription may differ from the needs of its triggers. It remains after the deletion of its workspace until
 * the connection is removed.
 */
export const connectionObject = defineObject({
  name: "source that is to be checked",
  partition: "CONNECTIONS",
  sort: (workspace: string, source: string) => `${workspace}#${source}`,
  belongsTo: "none",
  schema: z.object({ of: z.string(), source: awsSourceSchema }),
});
