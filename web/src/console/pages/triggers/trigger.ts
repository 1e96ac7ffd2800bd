import type { Reply } from "../../../../../contract/client/operation.ts";
import type { TriggerMode } from "../../../../../contract/routes/triggers/trigger-kind.ts";
import { call } from "../../data/objects-api.ts";
import { storedText } from "../../messages/objects/stored.ts";
import { triggersText as text } from "../../messages/objects/triggers.ts";
import { type ComparedField, compared } from "../../parts/stored/compared-fields.ts";
import { parseObject } from "../../parts/stored/parse-object.ts";
import type { ChosenRunnable } from "../../parts/stored/runnable-path.ts";

/** The sources that the form offers. The API has one kind for topics, buses and buckets. */
export type SourceKind = keyof typeof text.kinds;
export type SqsTrigger = Reply<"sqs_triggers.get">;
export type AwsTrigger = Reply<"aws_triggers.get">;
export type EmailTrigger = Reply<"email_triggers.get">;
/** A trigger with its kind in the API. */
export type Trigger = ({ api: "sqs" } & SqsTrigger) | ({ api: "aws" } & AwsTrigger) | ({ api: "email" } & EmailTrigger);
export type ApiKind = Trigger["api"];

/** The fields of the form of a trigger. Those of other kinds are empty. */
export interface TriggerValues {
  kind: SourceKind;
  path: string;
  runnable: ChosenRunnable | undefined;
  mode: TriggerMode;
  onError: string;
  queueUrl: string;
  resource: string;
  /** One on each line. */
  attributes: string;
  topicArn: string;
  /** JSON. */
  filterPolicy: string;
  pattern: string;
  bus: string;
  bucket: string;
  prefix: string;
  suffix: string;
  events: string;
  localPart: string;
  isWorkspaced: boolean;
  /** Set by the service: the user whose rights the runs have, and the mail address. */
  runsAs: string;
  address: string;
  others: Partial<TriggerOthers>;
}

/** The settings of every kind that few triggers have. `null`: none. */
export interface TriggerOthers {
  error_handler_args: NonNullable<Trigger["error_handler_args"]> | null;
  retry: NonNullable<Trigger["retry"]> | null;
  labels: string[] | null;
}

export const newTrigger: TriggerValues = {
  kind: "queue",
  path: "",
  runnable: undefined,
  mode: "enabled",
  onError: "",
  queueUrl: "",
  resource: "",
  attributes: "",
  topicArn: "",
  filterPolicy: "",
  pattern: '{\n  "source": [""]\n}',
  bus: "",
  bucket: "",
  prefix: "",
  suffix: "",
  events: "",
  localPart: "",
  isWorkspaced: true,
  runsAs: "",
  address: "",
  others: {},
};

const kindOfSource = { sns: "topic", eventbridge: "bus", s3: "bucket" } as const;
const sourceOfKind = { topic: "sns", bus: "eventbridge", bucket: "s3" } as const;

/** Returns the source of a trigger for people. */
export function kindOf(trigger: Trigger): SourceKind {
  if (trigger.api === "sqs") return "queue";
  return trigger.api === "email" ? "mail" : kindOfSource[trigger.source as keyof typeof kindOfSource];
}
export const apiOf = (kind: SourceKind): ApiKind => (kind === "queue" ? "sqs" : kind === "mail" ? "email" : "aws");

/** Describes the source of a trigger in one line. */
export function sourceOf(trigger: Trigger): string {
  if (trigger.api === "sqs") return trigger.queue_url;
  if (trigger.api === "email") return trigger.address ?? trigger.local_part;
  if (trigger.source === "sns") return trigger.topic_arn ?? "";
  if (trigger.source === "s3") return `${trigger.bucket}/${trigger.prefix ?? ""}*${trigger.suffix ?? ""}`;
  return `${trigger.bus ?? "default"}: ${JSON.stringify(trigger.event_pattern ?? {})}`;
}

const toText = (value: object | undefined) => (value === undefined ? "" : JSON.stringify(value, null, 2));
const toLines = (list: readonly string[] | undefined) => (list ?? []).join("\n");
const fromLines = (lines: string) => {
  const list = lines
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return list.length === 0 ? null : list;
};

/** Returns the values of the form of a stored trigger. */
export function fromTrigger(trigger: Trigger): TriggerValues {
  const { path, script_path, is_flow, mode, permissioned_as, error_handler_path, error_handler_args, retry, labels } = trigger;
  const common: TriggerValues = {
    ...newTrigger,
    kind: kindOf(trigger),
    path,
    runnable: { kind: is_flow ? "flow" : "script", path: script_path },
    mode,
    onError: error_handler_path ?? "",
    pattern: "",
    runsAs: permissioned_as,
    // A change of the user must name them all.
    others: { error_handler_args: error_handler_args ?? null, retry: retry ?? null, labels: labels ?? null },
  };
  if (trigger.api === "sqs")
    return {
      ...common,
      queueUrl: trigger.queue_url,
      resource: trigger.aws_resource_path,
      attributes: toLines(trigger.message_attributes),
    };
  if (trigger.api === "email")
    return {
      ...common,
      localPart: trigger.local_part,
      isWorkspaced: trigger.workspaced_local_part ?? false,
      address: trigger.address ?? "",
    };
  return {
    ...common,
    topicArn: trigger.topic_arn ?? "",
    filterPolicy: toText(trigger.filter_policy),
    pattern: toText(trigger.event_pattern),
    bus: trigger.bus ?? "",
    bucket: trigger.bucket ?? "",
    prefix: trigger.prefix ?? "",
    suffix: trigger.suffix ?? "",
    events: toLines(trigger.events),
  };
}

const commonOf = (values: TriggerValues) => ({
  ...values.others,
  path: values.path,
  script_path: values.runnable?.path ?? "",
  is_flow: values.runnable?.kind === "flow",
  mode: values.mode,
  error_handler_path: values.onError || null,
});
const queueOf = (values: TriggerValues) => ({
  ...commonOf(values),
  queue_url: values.queueUrl,
  aws_resource_path: values.resource || null,
  message_attributes: fromLines(values.attributes),
});
const mailOf = (values: TriggerValues) => ({
  ...commonOf(values),
  local_part: values.localPart,
  workspaced_local_part: values.isWorkspaced,
});
/** The service refuses fields of another source. */
function awsOf(values: TriggerValues) {
  const common = commonOf(values);
  if (values.kind === "topic")
    return {
      ...common,
      source: sourceOfKind.topic,
      topic_arn: values.topicArn,
      filter_policy: parseObject(values.filterPolicy) ?? null,
    };
  if (values.kind === "bucket") {
    const { bucket, prefix, suffix, events } = values;
    return {
      ...common,
      source: sourceOfKind.bucket,
      bucket,
      prefix: prefix || null,
      suffix: suffix || null,
      events: fromLines(events),
    };
  }
  return {
    ...common,
    source: sourceOfKind.bus,
    event_pattern: parseObject(values.pattern) ?? null,
    bus: values.bus || null,
  };
}

/** Returns what a save sends. */
export function toTrigger(values: TriggerValues) {
  if (values.kind === "queue") return queueOf(values);
  return values.kind === "mail" ? mailOf(values) : awsOf(values);
}

interface TriggerLocation {
  workspace: string;
  path: string;
}

/** Saves a trigger. `path` is where it is stored; a new one has none. */
export function saveTrigger(workspace: string, path: string | undefined, values: TriggerValues, headers: Record<string, string>) {
  if (values.kind === "queue") {
    const body = queueOf(values);
    return path === undefined
      ? call.sqs_triggers.create({ workspace, body })
      : call.sqs_triggers.update({ workspace, path, headers, body });
  }
  if (values.kind === "mail") {
    const body = mailOf(values);
    return path === undefined
      ? call.email_triggers.create({ workspace, body })
      : call.email_triggers.update({ workspace, path, headers, body });
  }
  const body = awsOf(values);
  return path === undefined ? call.aws_triggers.create({ workspace, body }) : call.aws_triggers.update({ workspace, path, headers, body });
}

/** Deletes a trigger. */
export const deleteTrigger = (api: ApiKind, location: TriggerLocation) =>
  ({ sqs: call.sqs_triggers.delete, aws: call.aws_triggers.delete, email: call.email_triggers.delete })[api](location);

/** Enables or disables a trigger. */
export const setTriggerMode = (api: ApiKind, location: TriggerLocation, mode: TriggerMode) =>
  ({ sqs: call.sqs_triggers.setMode, aws: call.aws_triggers.setMode, email: call.email_triggers.setMode })[api]({
    ...location,
    body: { mode },
  });

/** Returns the values that the browser may store: without the arguments of the handler, which may be secrets. */
export function keepableTrigger({ runsAs, address, others, ...fields }: TriggerValues): Partial<TriggerValues> {
  const { error_handler_args: _, ...kept } = others;
  return { ...fields, others: kept };
}

/** The fields in which two versions are compared. */
export const triggerFields: readonly ComparedField<TriggerValues>[] = [
  compared(storedText.path, "path"),
  compared(text.kind, "kind", (kind) => text.kinds[kind]),
  compared(text.runnable, "runnable", (runnable) => (runnable ? `${runnable.kind} ${runnable.path}` : "")),
  compared(text.mode, "mode"),
  compared(text.queueUrl, "queueUrl"),
  compared(text.otherAccount, "resource"),
  compared(text.attributes, "attributes"),
  compared(text.topic, "topicArn"),
  compared(text.filterPolicy, "filterPolicy"),
  compared(text.pattern, "pattern"),
  compared(text.bus, "bus"),
  compared(text.bucket, "bucket"),
  compared(text.prefix, "prefix"),
  compared(text.suffix, "suffix"),
  compared(text.events, "events"),
  compared(text.localPart, "localPart"),
  compared(text.workspaced, "isWorkspaced"),
  compared(text.onError, "onError"),
  compared(text.more, "others"),
];
