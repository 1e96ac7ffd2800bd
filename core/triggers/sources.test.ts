import { describe, expect, it } from "vitest";
import { findKind } from "../../contract/kinds/kinds.ts";
import { missingTriggerKinds, triggerKinds } from "../../contract/routes/triggers/trigger-kind.ts";
import { newTriggerSchemas, ownFieldSchemas } from "../../contract/routes/triggers/trigger-kinds.ts";
import { awsTriggerSourcesSchema, buildEventPattern, findMissingSource, parseQueueUrl, parseSourceName, sourceName } from "./sources.ts";

describe("the URL of a queue", () => {
  it.each([
    ["https://sqs.eu-west-1.amazonaws.com/123456789012/orders", { region: "eu-west-1", account: "123456789012", name: "orders" }],
    ["https://sqs.cn-north-1.amazonaws.com.cn/123456789012/a.fifo", { region: "cn-north-1", account: "123456789012", name: "a.fifo" }],
    ["https://eu-west-1.queue.amazonaws.com/123456789012/orders", { region: "eu-west-1", account: "123456789012", name: "orders" }],
    // A URL without a host of SQS has no region: only the local engine may have it.
    ["http://127.0.0.1:4566/000000000000/orders", { region: undefined, account: "000000000000", name: "orders" }],
    ["http://sqs.eu-west-1.amazonaws.com/123456789012/orders", { region: undefined, account: "123456789012", name: "orders" }],
    [
      "https://sqs.eu-west-1.amazonaws.com.attacker.net/123456789012/orders",
      { region: undefined, account: "123456789012", name: "orders" },
    ],
    ["https://169.254.169.254/123456789012/orders", { region: undefined, account: "123456789012", name: "orders" }],
    ["https://sqs.eu-west-1.amazonaws.com/123/orders", undefined],
    ["no url", undefined],
  ])("%s is %j", (url, place) => {
    expect(parseQueueUrl(url)).toEqual(place);
  });
});

describe("the name of a source", () => {
  it.each([
    { type: "queue", name: "orders" },
    { type: "topic", arn: "arn:aws:sns:eu-west-1:123456789012:orders" },
    { type: "rule", bus: "default", id: "id" },
  ] as const)("names the same source again: %j", (source) => {
    expect(parseSourceName(sourceName(source))).toEqual(source);
  });

  it("names no source if it is of another kind", () => expect(parseSourceName("mail#x")).toBeUndefined());
});

describe("the sources that an administrator listed", () => {
  const listed = [
    "arn:aws:sns:eu-west-1:123456789012:orders",
    "arn:aws:events:eu-west-1:123456789012:event-bus/shop",
    "arn:aws:s3:::files",
  ];
  const own = (fields: object) => ownFieldSchemas.aws.parse(fields);
  it.each([
    [{ source: "sns", topic_arn: "arn:aws:sns:eu-west-1:123456789012:orders" }, true],
    [{ source: "sns", topic_arn: "arn:aws:sns:eu-west-1:123456789012:order" }, false],
    [{ source: "eventbridge", event_pattern: {}, bus: "shop" }, true],
    [{ source: "eventbridge", event_pattern: {} }, false],
    [{ source: "eventbridge", event_pattern: {}, bus: "op" }, false],
    [{ source: "s3", bucket: "files" }, true],
    [{ source: "s3", bucket: "other-files" }, false],
  ])("%j is one of them: %s", (fields, isListed) => {
    expect(findMissingSource(own(fields), listed) === undefined).toBe(isListed);
  });

  it.each([{ "my-ws": ["*"] }, { "my-ws": ["arn:aws:s3:::*"] }, { "my-ws": "arn:aws:s3:::files" }, []])("cannot be %j", (value) => {
    expect(awsTriggerSourcesSchema.safeParse(value).success).toBe(false);
  });
});

describe("the event pattern of a bucket", () => {
  it("selects the events of this bucket, and names a prefix and a suffix literally", () => {
    const own = ownFieldSchemas.aws.parse({ source: "s3", bucket: "files", prefix: "a*b\\", suffix: ".csv", events: ["Object Deleted"] });
    expect(JSON.parse(buildEventPattern(own))).toEqual({
      source: ["aws.s3"],
      "detail-type": ["Object Deleted"],
      detail: { bucket: { name: ["files"] }, object: { key: [{ wildcard: "a\\*b\\\\*.csv" }] } },
    });
    expect(JSON.parse(buildEventPattern(ownFieldSchemas.aws.parse({ source: "s3", bucket: "files" })))).toEqual({
      source: ["aws.s3"],
      "detail-type": ["Object Created"],
      detail: { bucket: { name: ["files"] } },
    });
  });
});

describe("the body of a trigger", () => {
  const common = { path: "u/a/t", script_path: "u/a/s", is_flow: false };
  const url = "https://sqs.eu-west-1.amazonaws.com/123456789012/orders";
  it.each([
    ["sqs", { queue_url: url }, true],
    ["sqs", { queue_url: url, aws_resource_path: "$res:u/a/keys", aws_auth_resource_type: "credentials" }, true],
    ["sqs", { queue_url: url, aws_resource_path: "u/a/keys", aws_auth_resource_type: "oidc" }, false],
    ["sqs", { queue_url: "file:///etc/123456789012/passwd" }, false],
    ["sqs", { queue_url: `https://user:pass@sqs.eu-west-1.amazonaws.com/123456789012/a` }, false],
    ["aws", { source: "sns" }, false],
    ["aws", { source: "s3", bucket: "files", topic_arn: "arn:aws:sns:eu-west-1:123456789012:orders" }, false],
    ["aws", { source: "eventbridge" }, false],
    ["email", { local_part: "orders" }, true],
    ["email", { local_part: "Orders" }, true],
    ["email", { local_part: "a@b" }, false],
    ["email", { local_part: "a+b" }, false],
    ["email", { local_part: "a\nb" }, false],
    ["email", { local_part: ".a" }, false],
  ] as const)("%s %j is accepted: %s", (kind, own, accepted) => {
    expect(newTriggerSchemas[kind].safeParse({ ...common, ...own }).success).toBe(accepted);
  });

  it.each([
    ["script/u/a/b", true],
    ["flow/u/a/b", true],
    ["u/a/b", true],
    ["f/a/b", true],
    ["script/b", false],
    ["http/u/a/b", false],
    ["b", false],
    ["", false],
  ])("the error handler %j is accepted: %s", (error_handler_path, accepted) => {
    for (const kind of triggerKinds) {
      const own = {
        http: { route_path: "a", http_method: "get" },
        sqs: { queue_url: url },
        aws: { source: "s3", bucket: "abc" },
        email: { local_part: "a" },
      };
      expect(newTriggerSchemas[kind].safeParse({ ...common, ...own[kind], error_handler_path }).success).toBe(accepted);
    }
  });
});

it("the kinds of triggers are those of other servers and aws, which archives for other clients leave out", () => {
  const others = ["http", "websocket", "kafka", "nats", "postgres", "mqtt", "amqp", "sqs", "gcp", "azure", "email"];
  expect([...triggerKinds, ...missingTriggerKinds].filter((kind) => !findKind(`${kind}_trigger`)?.onlyInOwnArchives).sort()).toEqual(
    others.sort(),
  );
});
