import type { TriggerSetupJson } from "../../../../../contract/routes/triggers/trigger-setup.ts";
import { triggersText } from "../../messages/objects/triggers.ts";
import { quoteForShell } from "../../parts/quote-for-shell.ts";
import type { TriggerValues } from "./trigger.ts";

interface SetupStep {
  title: string;
  command: string;
}

export interface SourceSetup {
  steps: SetupStep[];
  /** The ARN that superadmins must list for the workspace. */
  arn?: string;
}

/** A word of a shell command. */
const word = (text: string) => (/^[A-Za-z0-9_./:@=+-]+$/.test(text) ? text : quoteForShell(text));

const text = triggersText.steps;

/** Returns the commands that prepare a source, or undefined while it is incomplete. */
export function describeSetup(workspace: string, values: TriggerValues, setup: TriggerSetupJson): SourceSetup | undefined {
  const { partition, region, account } = setup;
  const inRegion = (service: string, ...words: string[]) => ["aws", service, ...words.map(word), "--region", word(region)].join(" ");
  switch (values.kind) {
    case "queue": {
      const queue = parseQueue(values.queueUrl);
      if (!queue || values.resource !== "") return undefined;
      const tags = JSON.stringify({ "svc:workspace": workspace });
      const url = ["--queue-url", values.queueUrl];
      const fifo = queue.name.endsWith(".fifo") ? ["--attributes", '{"FifoQueue":"true"}'] : [];
      return {
        steps: [
          { title: text.createQueue, command: inRegion("sqs", "create-queue", "--queue-name", queue.name, ...fifo, "--tags", tags) },
          { title: text.tagQueue, command: inRegion("sqs", "tag-queue", ...url, "--tags", tags) },
          { title: text.checkTags, command: inRegion("sqs", "list-queue-tags", ...url) },
        ],
      };
    }
    case "topic": {
      const [, , , , , name = ""] = values.topicArn.split(":");
      if (name === "") return undefined;
      const isFifo = name.endsWith(".fifo");
      const create = ["create-topic", "--name", name, ...(isFifo ? ["--attributes", '{"FifoTopic":"true"}'] : [])];
      const publish = ["publish", "--topic-arn", values.topicArn, "--message", "test"];
      const group = isFifo ? ["--message-group-id", "test", "--message-deduplication-id", "test"] : [];
      return {
        arn: values.topicArn,
        steps: [
          { title: text.createTopic, command: inRegion("sns", ...create) },
          { title: text.publish, command: inRegion("sns", ...publish, ...group) },
        ],
      };
    }
    case "bus": {
      const bus = values.bus || "default";
      const entries = JSON.stringify([{ EventBusName: bus, Source: "test", DetailType: "test", Detail: "{}" }]);
      const create = { title: text.createBus, command: inRegion("events", "create-event-bus", "--name", bus) };
      return {
        arn: `arn:${partition}:events:${region}:${account}:event-bus/${bus}`,
        steps: [
          ...(bus === "default" ? [] : [create]),
          { title: text.putEvent, command: inRegion("events", "put-events", "--entries", entries) },
        ],
      };
    }
    case "bucket": {
      if (values.bucket === "") return undefined;
      const bucket = ["--bucket", values.bucket];
      const configuration = ["--notification-configuration", '{"EventBridgeConfiguration":{}}'];
      return {
        arn: `arn:${partition}:s3:::${values.bucket}`,
        steps: [
          { title: text.readNotifications, command: inRegion("s3api", "get-bucket-notification-configuration", ...bucket) },
          { title: text.sendEvents, command: inRegion("s3api", "put-bucket-notification-configuration", ...bucket, ...configuration) },
        ],
      };
    }
    default: {
      const { mail_domain: domain, mail_rule_set: rules } = setup;
      if (domain === undefined || rules === undefined) return undefined;
      return {
        steps: [
          { title: text.verifyDomain, command: inRegion("sesv2", "create-email-identity", "--email-identity", domain) },
          { title: text.activateRules, command: inRegion("ses", "set-active-receipt-rule-set", "--rule-set-name", rules) },
        ],
      };
    }
  }
}

const QUEUE = /^https?:\/\/[^/]+\/(?:[^?#\s]*\/)?(\d{12})\/([A-Za-z0-9_-]{1,80}(?:\.fifo)?)$/;

/** Returns the account and the name of a queue from its URL. */
function parseQueue(url: string): { account: string; name: string } | undefined {
  const [, account, name] = QUEUE.exec(url) ?? [];
  return account === undefined || name === undefined ? undefined : { account, name };
}
