import { randomBytes } from "node:crypto";
import { CreateQueueCommand, DeleteQueueCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { CallInput } from "../../../contract/client/operation.ts";
import { Complaint } from "../../launch/complaint.mjs";
import { clientConfig } from "../aws-cli.ts";
import { type Api, call, expectEqual, request, type Target, until } from "./client.ts";

/** The part of a check's context that the checks of triggers need. */
interface TriggerContext {
  target: Target;
  api: Api;
  workspace: string;
  /** Whether the check may create a queue with the AWS credentials of the shell. */
  sources: boolean;
  saveScript(name: string, content: string): Promise<string>;
}

/** Lambda reads a new queue within a minute. */
const TRIGGER_LIMIT_MS = 180_000;
const ECHO = "export const main = (msg: unknown = 1) => msg;";

/** A route with a password sends a challenge, so that browsers ask for the password, and accepts it. */
export async function checkRoute({ target, api, workspace, saveScript }: TriggerContext): Promise<string> {
  const path = await saveScript("route", ECHO);
  const route = `first-hour-${randomBytes(4).toString("hex")}`;
  const value = { username: "ann", password: randomBytes(12).toString("hex") };
  await api.call.resources.create({ body: { path, resource_type: "basic_http_auth", value, description: "" } });
  try {
    await api.call.http_triggers.create({
      body: {
        ...{ path, script_path: path, is_flow: false, route_path: route, http_method: "post", workspaced_route: true },
        ...{ authentication_method: "basic_http", authentication_resource_path: path },
      },
    });
    const address = `/api/r/${workspace}/${route}`;
    const refused = await call(target, "POST", address, { anonymous: true, body: {} });
    if (refused.status === 404) return "skipped: HTTP routes answer at another domain";
    const authorization = `Basic ${Buffer.from(`${value.username}:${value.password}`).toString("base64")}`;
    const admitted = await call(target, "POST", address, { anonymous: true, headers: { authorization }, body: { msg: 7 } });
    expectEqual([refused.status, admitted.status, admitted.text], [401, 200, "7"], "The replies without and with the password");
    // Without CloudFront, API Gateway's name for the header remains.
    if (refused.headers.has("x-amzn-remapped-www-authenticate") && !refused.headers.has("via"))
      return "answers; no CloudFront restores its challenge";
    expectEqual(refused.headers.get("www-authenticate")?.split(" ")[0], "Basic", "The header WWW-Authenticate");
    return "asks for a password, and runs with it";
  } finally {
    await request(target, "http_triggers.delete", { workspace, path });
    await request(target, "resources.delete", { workspace, path });
  }
}

/** A schedule starts a run at its time. */
export async function checkSchedule({ target, api, workspace, saveScript }: TriggerContext): Promise<string> {
  const path = await saveScript("schedule", ECHO);
  await api.call.schedules.create({
    body: {
      ...{ path, schedule: "*/5 * * * * *", timezone: "UTC", script_path: path, is_flow: false, args: { msg: "tick" }, enabled: true },
    },
  });
  try {
    return `a run ${await resultOfTrigger(api, { schedule_path: path }, "tick")}`;
  } finally {
    await request(target, "schedules.delete", { workspace, path });
  }
}

/** A message of a queue of the account starts a run. */
export async function checkQueue({ target, api, workspace, sources, saveScript }: TriggerContext): Promise<string> {
  if (!sources) return "skipped: allow a queue of your account with --sources";
  const path = await saveScript("queue", ECHO);
  const sqs = new SQSClient(clientConfig());
  const QueueName = `svc-first-hour-${randomBytes(4).toString("hex")}`;
  const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName, tags: { "svc:workspace": workspace } }));
  try {
    await api.call.sqs_triggers.create({ body: { path, script_path: path, is_flow: false, queue_url: QueueUrl } });
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "hello" }));
    return `a run ${await resultOfTrigger(api, { trigger_kind: "sqs", trigger_path: path }, "hello")}`;
  } finally {
    await request(target, "sqs_triggers.delete", { workspace, path });
    await sqs.send(new DeleteQueueCommand({ QueueUrl }));
    sqs.destroy();
  }
}

/** Waits for the first run of a trigger, and compares its result. */
async function resultOfTrigger(api: Api, query: CallInput<"jobs.list">["query"], expected: unknown): Promise<string> {
  const startedMs = Date.now();
  const job = await until(TRIGGER_LIMIT_MS, "A run of the trigger", async () => {
    const jobs = await api.call.jobs.list({ query: { ...query, per_page: 5 } });
    return jobs.find((one) => one.type === "CompletedJob");
  });
  if (!job.success) throw new Complaint(`The run ${job.id} of the trigger failed.`);
  expectEqual(await api.call.jobs.getResult({ id: job.id }), expected, "The result of the run");
  return `after ${Math.round((Date.now() - startedMs) / 1000)} s`;
}
