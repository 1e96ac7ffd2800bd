import { randomUUID } from "node:crypto";
import { EventBridgeClient, ListRulesCommand, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { CreateTopicCommand, ListSubscriptionsByTopicCommand, PublishCommand, SNSClient } from "@aws-sdk/client-sns";
import { UntagQueueCommand } from "@aws-sdk/client-sqs";
import { beforeAll, describe, expect, it } from "vitest";
import { scanObjects } from "../../../aws/dynamodb/object-scan.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import { userObject } from "../../../core/people/person.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import { readTables } from "../../../test/support/use-cases/stored/stored-state.ts";
import { failure, success } from "../../../test/support/use-cases/world.ts";
import { addFlow } from "../../../test/support/use-cases/world-flows.ts";
import { listJobs, newIsolation, work } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin, aReader } from "../../../test/support/use-cases/world-people.ts";
import { newTriggerWorld, type TriggerWorld } from "../../../test/support/use-cases/world-triggers.ts";
import { loadValue } from "../../jobs/values/values.ts";
import { purgeDeletedWorkspaces } from "../../maintenance/purge-workspaces.ts";
import { createResource } from "../../resources/save.ts";
import { setGlobalSetting } from "../../settings/instance.ts";
import { deleteWorkspace } from "../../workspaces/archive.ts";
import { setWorkspaceHandler } from "../../workspaces/handlers.ts";
import { getTrigger } from "../read.ts";
import { setTriggerMode } from "../save.ts";
import { connectPendingSources, pollRemoteQueues, releaseHeldJobs } from "../tasks.ts";

let world: TriggerWorld;
beforeAll(async () => {
  world = await newTriggerWorld();
});

const newPath = () => `u/ann/${randomUUID()}`;
const argsOf = async (job: Job | undefined) => job && (JSON.parse(await loadValue(world.deps, job, job.args)) as Record<string, unknown>);

async function aQueueTrigger({ preprocessor = false, ...fields }: { preprocessor?: boolean; [field: string]: unknown } = {}) {
  const [path, script] = [newPath(), await world.addRunnable(undefined, preprocessor)];
  const queue = await world.addQueue(`r-${randomUUID().slice(0, 8)}${fields["fifo"] ? ".fifo" : ""}`, { "svc:workspace": world.workspace });
  await world.create("sqs", { path, script_path: script, is_flow: false, queue_url: queue.url, ...fields });
  return { path, script, queue, jobs: () => listJobs(world, script) };
}

describe("a message of a queue", () => {
  it("starts a job with its body as the argument msg, which runs as the trigger's user and names the trigger", async () => {
    const { path, queue, jobs } = await aQueueTrigger();
    await world.send(queue.url, '{"order": 1}');
    expect(await world.drain(queue)).toEqual([]);
    const [job, ...more] = await jobs();
    expect(more).toEqual([]);
    expect(job).toMatchObject({ trigger: "sqs", triggerPath: path, permissionedAs: "u/ann", email: "ann@example.com", state: "queued" });
    expect(await argsOf(job)).toEqual({ msg: '{"order": 1}' });
    await work(world);
    expect((await jobs())[0]?.state).toBe("succeeded");
  });

  it("cannot read variables with the rights of the trigger's user", async () => {
    const { queue, jobs } = await aQueueTrigger();
    await world.send(queue.url, "$var:f/ops/key");
    await world.drain(queue);
    expect(await argsOf((await jobs())[0])).toEqual({ msg: "\\$var:f/ops/key" });
  });

  it("gives a preprocessor the event, whose kind and path the message cannot choose", async () => {
    const { path, queue, jobs } = await aQueueTrigger({ preprocessor: true });
    await world.send(queue.url, '{"kind": "webhook", "trigger_path": "f/other"}');
    await world.drain(queue);
    const [job] = await jobs();
    expect(job?.preprocess).toBe("wanted");
    expect(await argsOf(job)).toEqual({
      event: {
        kind: "sqs",
        trigger_path: path,
        msg: '{"kind": "webhook", "trigger_path": "f/other"}',
        queue_url: queue.url,
        message_id: expect.any(String),
        receipt_handle: expect.any(String),
        attributes: expect.objectContaining({ ApproximateReceiveCount: "1" }),
        message_attributes: {},
      },
    });
  });

  it("that arrives twice, even at the same time, starts one job, also after a rename of the trigger", async () => {
    const { path, script, queue, jobs } = await aQueueTrigger();
    const id = randomUUID();
    await Promise.all([world.receive(queue.arn, "a", { id }), world.receive(queue.arn, "a", { id })]);
    const to = newPath();
    await world.update("sqs", path, { path: to, script_path: script, is_flow: false, queue_url: queue.url });
    expect(await world.receive(queue.arn, "a", { id })).toEqual([]);
    expect(await jobs()).toHaveLength(1);
  });

  it("stays in a queue that has lost its tag or whose trigger is disabled, and never becomes a dead letter", async () => {
    const { path, queue, jobs } = await aQueueTrigger();
    await setTriggerMode(world.deps, world.caller("sqs", path), "disabled");
    expect(await world.receive(queue.arn, "a", { id: "one", count: 5 })).toEqual(["one"]);
    await setTriggerMode(world.deps, world.caller("sqs", path), "enabled");
    await world.sqs.send(new UntagQueueCommand({ QueueUrl: queue.url, TagKeys: ["svc:workspace"] }));
    expect(await world.receive(queue.arn, "a", { id: "two", count: 5 })).toEqual(["two"]);
    expect(await jobs()).toEqual([]);
    expect(await world.deadLetters()).toEqual([]);
    await connectPendingSources({ ...world.deps, isolation: newIsolation(world) });
    expect(world.mappings.has(queue.arn)).toBe(false);
  });

  it("that fails is delivered again, and becomes a dead letter after the third failure; the trigger shows why", async () => {
    const { path, script, queue, jobs } = await aQueueTrigger();
    await world.deps.objects.deleteItem(scriptHeadObject.key(world.workspace, script));
    expect(await world.receive(queue.arn, "lost", { id: "m", count: 1 })).toEqual(["m"]);
    expect(await world.receive(queue.arn, "lost", { id: "m", count: 2 })).toEqual(["m"]);
    expect(await world.receive(queue.arn, "lost", { id: "m", count: 3 })).toEqual([]);
    expect(await world.deadLetters()).toEqual(["lost"]);
    expect(await jobs()).toEqual([]);
    const { json: shown } = await getTrigger(world.deps, { workspace: world.workspace, kind: "sqs", path });
    expect(shown["error"]).toContain(script);
  });

  it("starts no job for a user who is disabled, or may no longer run the script", async () => {
    const { queue, jobs } = await aQueueTrigger();
    const { personKey } = await import("../../../core/people/person.ts");
    const key = userObject.key(personKey("ann@example.com"));
    const user = await world.deps.objects.get(key);
    await world.deps.objects.put({ ...key, value: { ...(user?.value as object), disabled: true } });
    expect(await world.receive(queue.arn, "a", { id: "m" })).toEqual(["m"]);
    await world.deps.objects.put({ ...key, value: user?.value });
    expect(await jobs()).toEqual([]);
  });

  it("waits while the trigger is suspended, and runs once the trigger is enabled", async () => {
    const { path, queue, jobs } = await aQueueTrigger({ mode: "suspended" });
    await world.receive(queue.arn, "a", { id: "1" });
    await world.receive(queue.arn, "a", { id: "1" });
    await world.receive(queue.arn, "b", { id: "2" });
    await work(world);
    expect((await jobs()).map(({ state }) => state)).toEqual(["queued", "queued"]);
    await releaseHeldJobs({ ...world.deps, isolation: newIsolation(world) }, Number.POSITIVE_INFINITY);
    await work(world);
    expect((await jobs()).map(({ state }) => state)).toEqual(["queued", "queued"]);
    await setTriggerMode(world.deps, world.caller("sqs", path), "enabled");
    await releaseHeldJobs({ ...world.deps, isolation: newIsolation(world) }, Number.POSITIVE_INFINITY);
    await work(world);
    expect((await jobs()).map(({ state }) => state)).toEqual(["succeeded", "succeeded"]);
    expect(await world.deps.objects.list("RELEASES")).toEqual([]);
  });

  it("that follows a failed one in an ordered queue waits for it", async () => {
    const { queue } = await aQueueTrigger();
    const record = (id: string, queueArn: string) => ({
      id,
      body: id,
      receiptHandle: "r",
      queueArn,
      attributes: {},
      messageAttributes: {},
    });
    const { receiveRecords } = await import("./receive-records.ts");
    const failing = { ...world.deps, nowMs: () => Number.NaN };
    const ordered = `${queue.arn}.fifo`;
    const all = ["1", "2"].map((id) => record(id, ordered));
    expect(await receiveRecords(failing, all)).toEqual(["1", "2"]);
  });
});

describe("the job of a message", () => {
  it("calls the error handler of its trigger when it fails, as the trigger's user and instead of the workspace's", async () => {
    const handler = await world.addRunnable("u/ann/alarm");
    await setWorkspaceHandler(world.deps, world.workspace, "error_handler", { path: "script/u/ann/other" });
    const fields = { error_handler_path: `script/${handler}`, error_handler_args: { channel: "ops", path: "not this" } };
    const { path, script, queue, jobs } = await aQueueTrigger(fields);
    world.answers.run = async ({ env }) => (env["WM_JOB_PATH"] === handler ? success(null) : failure("no disk"));
    await world.receive(queue.arn, "a", { id: "1" });
    await work(world);
    const [failed] = await jobs();
    const [called, ...more] = await listJobs(world, handler);
    expect(more).toEqual([]);
    expect(called).toMatchObject({ parent: failed?.id, permissionedAs: "u/ann", isHandler: true });
    const about = { path: script, email: "ann@example.com", job_id: failed?.id, is_flow: false, workspace_id: world.workspace };
    expect(await argsOf(called)).toEqual({ channel: "ops", ...about, trigger_path: path, error: { name: "Error", message: "no disk" } });
    world.answers.run = async () => success(1);
  });

  it.each(["script", "flow"])("calls an error handler that is the path of a %s alone", async (kind) => {
    const handler = kind === "script" ? await world.addRunnable() : newPath();
    if (kind === "flow") await addFlow(world, handler, []);
    const { queue } = await aQueueTrigger({ error_handler_path: handler });
    world.answers.run = async () => failure("no disk");
    await world.receive(queue.arn, "a", { id: "1" });
    await work(world);
    expect(await listJobs(world, handler)).toMatchObject([{ kind, isHandler: true }]);
    world.answers.run = async () => success(1);
  });

  it("has the retries of its trigger", async () => {
    const { path, queue, jobs } = await aQueueTrigger({ retry: { constant: { attempts: 2, seconds: 1 } } });
    await world.receive(queue.arn, "a", { id: "1" });
    expect(await jobs()).toMatchObject([{ kind: "singlestepflow", trigger: "sqs", triggerPath: path }]);
  });

  it("cannot call an error handler that the caller may not run", async () => {
    const bob = aReader(world.workspace, []);
    const own = await world.addRunnable("u/bob/own");
    const queue = await world.addQueue(`e-${randomUUID().slice(0, 8)}`, { "svc:workspace": world.workspace });
    const sent = { path: "u/bob/t", script_path: own, is_flow: false, queue_url: queue.url, error_handler_path: "script/u/ann/secret" };
    await expect(world.create("sqs", sent, bob)).rejects.toMatchObject({ code: "script.notFound" });
  });
});

describe("a queue that is read with keys", () => {
  it("is read when housekeeping delegates it, with the resource that the trigger's user may read", async () => {
    const [path, script] = [newPath(), await world.addRunnable()];
    const value = { awsAccessKeyId: "test", awsSecretAccessKey: "test", region: "us-east-1" };
    const resource = { path: newPath(), value, resource_type: "aws" } as Parameters<typeof createResource>[2];
    await createResource(world.deps, { actor: anAdmin, workspace: world.workspace }, resource);
    const queue = await world.addQueue(`k-${randomUUID().slice(0, 8)}`);
    const sent = { path, script_path: script, is_flow: false, queue_url: queue.url, aws_resource_path: `$res:${resource.path}` };
    await world.create("sqs", sent);
    expect(world.mappings.has(queue.arn)).toBe(false);
    for (const body of ["a", "b"]) await world.send(queue.url, body);
    await pollRemoteQueues({ ...world.deps, isolation: newIsolation(world) });
    expect((await world.poll())[0]).toBe(2);
    expect(await Promise.all((await listJobs(world, script)).map(argsOf))).toEqual(expect.arrayContaining([{ msg: "a" }, { msg: "b" }]));
    await world.update("sqs", path, { ...sent, aws_resource_path: "u/ann/absent" });
    await pollRemoteQueues({ ...world.deps, isolation: newIsolation(world) });
    await world.poll();
    expect((await getTrigger(world.deps, { workspace: world.workspace, kind: "sqs", path })).json).toMatchObject({
      error: expect.stringContaining("resource.notFound"),
    });
    await setTriggerMode(world.deps, world.caller("sqs", path), "disabled");
  });
});

describe("an AWS trigger", () => {
  const bus = "arn:aws:events:us-east-1:000000000000:event-bus/default";
  const list = (arns: string[]) => setGlobalSetting(world.deps, "aws_trigger_sources", { [world.workspace]: arns });

  it("on a topic starts a job for each notification that matches its filter policy", async () => {
    const sns = new SNSClient({});
    const { TopicArn = "" } = await sns.send(new CreateTopicCommand({ Name: `t-${randomUUID().slice(0, 8)}` }));
    await list([TopicArn]);
    const [all, red, path] = [await world.addRunnable(), await world.addRunnable(), newPath()];
    const fields = { is_flow: false, source: "sns", topic_arn: TopicArn };
    await world.create("aws", { path, script_path: all, ...fields });
    await world.create("aws", { path: newPath(), script_path: red, ...fields, filter_policy: { colour: ["red"] } });
    const publish = (Message: string, colour: string) =>
      sns.send(new PublishCommand({ TopicArn, Message, MessageAttributes: { colour: { DataType: "String", StringValue: colour } } }));
    await publish("1", "red");
    await publish("2", "blue");
    expect(await world.drain(world.own)).toEqual([]);
    expect(await Promise.all((await listJobs(world, all)).map(argsOf))).toEqual(expect.arrayContaining([{ msg: "1" }, { msg: "2" }]));
    expect(await Promise.all((await listJobs(world, red)).map(argsOf))).toEqual([{ msg: "1" }]);
    expect((await listJobs(world, all))[0]).toMatchObject({ trigger: "aws", triggerPath: path });
    // The list of the instance is the permission, and is read for each message.
    await list([]);
    await publish("3", "red");
    await world.drain(world.own);
    expect(await listJobs(world, red)).toHaveLength(1);
  });

  it("on an event bus or a bucket starts a job for each event that its rule matches", async () => {
    await list([bus, "arn:aws:s3:::incoming"]);
    const [script, files] = [await world.addRunnable(), await world.addRunnable()];
    const [path, inbox] = [newPath(), newPath()];
    await world.create("aws", { path, script_path: script, is_flow: false, source: "eventbridge", event_pattern: { source: ["shop"] } });
    await world.create("aws", {
      path: inbox,
      script_path: files,
      is_flow: false,
      source: "s3",
      bucket: "incoming",
      prefix: "in/",
      suffix: ".csv",
    });
    const events = new EventBridgeClient({});
    const put = (Source: string, DetailType: string, detail: object) =>
      events.send(new PutEventsCommand({ Entries: [{ Source, DetailType, Detail: JSON.stringify(detail) }] }));
    await put("shop", "Order placed", { n: 1 });
    await put("other", "Order placed", { n: 2 });
    expect(await world.drain(world.own)).toEqual([]);
    const jobs = await listJobs(world, script);
    expect(jobs).toHaveLength(1);
    expect(await argsOf(jobs[0])).toMatchObject({ msg: { source: "shop", "detail-type": "Order placed", detail: { n: 1 } } });
    // Only AWS can send events of aws.s3, so this event has the form that a rule forwards.
    const s3Event = {
      id: randomUUID(),
      source: "aws.s3",
      "detail-type": "Object Created",
      detail: { bucket: { name: "incoming" }, object: { key: "in/a.csv" } },
    };
    const [stored] = (await world.deps.objects.list(`TSOURCE#${world.workspace}`)).filter(
      ({ value }) => (value as { path: string }).path === inbox,
    );
    const message = JSON.stringify({ svc: { workspace: world.workspace, source: stored?.sk }, event: s3Event });
    expect(await world.receive(world.own.arn, message)).toEqual([]);
    expect(await argsOf((await listJobs(world, files))[0])).toEqual({ msg: s3Event });
    await setTriggerMode(world.deps, world.caller("aws", path), "disabled");
    await put("shop", "Order placed", { n: 3 });
    await world.drain(world.own);
    expect(await listJobs(world, script)).toHaveLength(1);
  });
});

it("a message in the queue of triggers that no known sender can have sent fails", async () => {
  for (const body of ["", "{}", '{"Type": "Notification"}', `${"[".repeat(1000)}${"]".repeat(1000)}`]) {
    expect(await world.receive(world.own.arn, body, { id: "m" })).toEqual(["m"]);
  }
});

// The last test: a new world replaces the tables of the one before.
it("a deleted workspace takes its triggers with their mappings, subscriptions, rules and addresses", async () => {
  const other = await newTriggerWorld();
  const script = await other.addRunnable();
  const queue = await other.addQueue(`d-${randomUUID().slice(0, 8)}`, { "svc:workspace": other.workspace });
  const local_part = `gone-${randomUUID().slice(0, 8)}`;
  await other.create("sqs", { path: newPath(), script_path: script, is_flow: false, queue_url: queue.url });
  await other.create("email", { path: newPath(), script_path: script, is_flow: false, local_part });
  const sns = new SNSClient({});
  const { TopicArn = "" } = await sns.send(new CreateTopicCommand({ Name: `d-${randomUUID().slice(0, 8)}` }));
  const bus = "arn:aws:events:us-east-1:000000000000:event-bus/default";
  await setGlobalSetting(other.deps, "aws_trigger_sources", { [other.workspace]: [TopicArn, bus] });
  const fields = { script_path: script, is_flow: false };
  await other.create("aws", { path: newPath(), ...fields, source: "sns", topic_arn: TopicArn });
  await other.create("aws", { path: newPath(), ...fields, source: "eventbridge", event_pattern: { source: ["shop"] } });
  const countSubscriptions = async () => (await sns.send(new ListSubscriptionsByTopicCommand({ TopicArn }))).Subscriptions?.length;
  const events = new EventBridgeClient({});
  const countRules = async () => (await events.send(new ListRulesCommand({ NamePrefix: other.connectDeps.stack }))).Rules?.length;
  expect([other.mappings.has(queue.arn), await countSubscriptions(), await countRules()]).toEqual([true, 1, 1]);
  await deleteWorkspace(other.deps, other.workspace, "ann");
  const purge = () => purgeDeletedWorkspaces({ ...other.deps, scanObjects, isolation: newIsolation(other) }, Number.POSITIVE_INFINITY);
  await purge();
  await connectPendingSources({ ...other.deps, isolation: newIsolation(other) });
  expect([other.mappings.has(queue.arn), await countSubscriptions(), await countRules()]).toEqual([false, 0, 0]);
  other.clock.nowMs += 20 * 60_000;
  await purge();
  const { objects } = await readTables();
  expect(objects.filter(({ pk }) => /TRIGGER|TSOURCE|MAILBOXES|CONNECTIONS|POLLS|HELD/.test(String(pk?.S)))).toEqual([]);
});
