import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Job } from "../../../core/jobs/record/job.ts";
import { registerTelemetry } from "../../../core/telemetry/telemetry.ts";
import { listJobs } from "../../../test/support/use-cases/world-jobs.ts";
import { MAIL_DOMAIN, MAIL_TOPIC, newTriggerWorld, type TriggerWorld } from "../../../test/support/use-cases/world-triggers.ts";
import { loadValue } from "../../jobs/values/values.ts";

let world: TriggerWorld;
let script: string;
let local: string;
const refused: string[] = [];
beforeAll(async () => {
  world = await newTriggerWorld();
  script = await world.addRunnable();
  local = `box-${randomUUID().slice(0, 8)}`;
  await world.create("email", { path: `u/ann/${randomUUID()}`, script_path: script, is_flow: false, local_part: local });
  registerTelemetry({ failure: (_message, error) => void refused.push((error as Error).message), count: () => undefined });
});

interface StoredFile {
  s3: string;
  size: number;
}
interface MailArguments {
  raw_email: StoredFile;
  parsed_email: { attachments: { body: StoredFile }[] };
}
interface Sent {
  to?: string[];
  verdicts?: object;
  id?: string;
}

/** Stores a raw mail at the location that SES uses, and delivers the notification of SES. */
async function deliver(
  raw: string | Buffer | undefined,
  { to = [`${local}@${MAIL_DOMAIN}`], verdicts = {}, id = randomUUID() }: Sent = {},
) {
  const objectKey = `mail/${id}`;
  if (raw !== undefined) await world.deps.storage.putObject(objectKey, raw, "message/rfc822");
  const receipt = { recipients: to, action: { type: "S3", objectKey }, ...verdicts };
  const Message = JSON.stringify({ notificationType: "Received", mail: { messageId: id }, receipt });
  const body = JSON.stringify({ Type: "Notification", MessageId: randomUUID(), TopicArn: MAIL_TOPIC, Message });
  const failed = await world.receive(world.own.arn, body);
  return { failed, isLeft: (await world.deps.storage.getObject(objectKey, 100 * 1024 * 1024)) !== undefined, id };
}

let known = new Set<string>();
async function newJobs(): Promise<Job[]> {
  const jobs = await listJobs(world, script);
  const added = jobs.filter(({ id }) => !known.has(id));
  known = new Set(jobs.map(({ id }) => id));
  return added;
}
const argsOf = async (job: Job | undefined) =>
  JSON.parse(job ? await loadValue(world.deps, job, job.args) : "{}") as unknown as MailArguments;
const mail = (headers: string[], body: string) => [...headers, "", body].join("\r\n");
const TEXT = mail(["From: Ann <ann@example.com>", "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=", "Received: a", "Received: b"], "Hello\r\n");

describe("a mail", () => {
  it("starts a job with the parsed and the raw mail, and is removed", async () => {
    expect(await deliver(TEXT, { to: [`${local.toUpperCase()}+colour=Red@${MAIL_DOMAIN}`] })).toMatchObject({ failed: [], isLeft: false });
    const [job] = await newJobs();
    expect(job).toMatchObject({ trigger: "email", state: "queued" });
    expect(await argsOf(job)).toEqual({
      raw_email: TEXT,
      parsed_email: {
        headers: { From: "Ann <ann@example.com>", Subject: "Grüße", Received: ["a", "b"] },
        text_body: expect.stringContaining("Hello"),
        html_body: null,
        date: null,
        attachments: [],
      },
      email_extra_args: { colour: "Red" },
    });
  });

  it("that is reported twice starts one job", async () => {
    const { id } = await deliver(TEXT);
    expect(await deliver(TEXT, { id })).toMatchObject({ failed: [] });
    // The mail is gone after its job has started.
    expect(await deliver(undefined, { id })).toMatchObject({ failed: [] });
    expect(await newJobs()).toHaveLength(1);
  });

  it("passes attachments and a large raw mail as files, whose names do not leave the job", async () => {
    const part = (name: string, text: string) =>
      ["--b", "Content-Type: text/plain", `Content-Disposition: attachment; filename="${name}"`, "", text].join("\r\n");
    const raw = mail(
      ["Content-Type: multipart/mixed; boundary=b"],
      ["--b\r\n\r\nText", part("../../../etc/passwd", "x".repeat(1_200_000)), part("", "y"), "--b--"].join("\r\n"),
    );
    expect(await deliver(raw)).toMatchObject({ failed: [], isLeft: false });
    const [job] = await newJobs();
    expect(job?.retention).toBe("long");
    const { parsed_email: parsed, raw_email: whole } = await argsOf(job);
    // The parser ends each text with a line break.
    expect(parsed.attachments.map(({ body }) => body.size)).toEqual([1_200_001, 2]);
    expect(whole).toMatchObject({ content_type: "message/rfc822", size: Buffer.byteLength(raw) });
    for (const { s3 } of [whole, ...parsed.attachments.map(({ body }) => body)]) {
      expect(s3).toContain(job?.id);
      expect(s3).not.toContain("../");
    }
  });

  it.each([
    ["spam", TEXT, { verdicts: { spamVerdict: { status: "FAIL" } } }],
    ["virus", TEXT, { verdicts: { virusVerdict: { status: "FAIL" } } }],
    ["unknownAddress", TEXT, { to: [`other@${MAIL_DOMAIN}`] }],
    ["unknownAddress", TEXT, { to: ["someone@else.example"] }],
    ["tooManyParts", mail(["Content-Type: multipart/mixed; boundary=b"], "--b\r\n\r\nx\r\n".repeat(10_001)), {}],
    [
      "tooManyParts",
      mail(["Content-Type: multipart/mixed; boundary=b"], '--b\r\nContent-Disposition: attachment; filename="a"\r\n\r\nx\r\n'.repeat(501)),
      {},
    ],
    ["unreadable", mail([`X: ${"a".repeat(600_000)}`], "text"), {}],
    ["tooLarge", Buffer.alloc(30 * 1024 * 1024 + 1, "a"), {}],
  ])("is refused and removed as %s", async (reason, raw, sent: Sent) => {
    refused.length = 0;
    expect(await deliver(raw, sent)).toMatchObject({ failed: [], isLeft: false });
    expect(refused).toEqual([reason]);
    expect(await newJobs()).toEqual([]);
  });

  it("cannot claim verdicts or recipients by its headers, and cannot change the arguments", async () => {
    const hostile = mail(
      ["X-SES-Spam-Verdict: PASS", "__proto__: polluted", "constructor: c", `To: other@${MAIL_DOMAIN}`, "Subject: a\tb\u0000c"],
      "text",
    );
    refused.length = 0;
    await deliver(hostile, { verdicts: { spamVerdict: { status: "FAIL" } } });
    expect(refused).toEqual(["spam"]);
    await deliver(hostile);
    const { parsed_email: parsed } = await argsOf((await newJobs())[0]);
    expect(Object.keys(parsed)).toEqual(["headers", "text_body", "html_body", "date", "attachments"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("is not read if SES's report of it is malformed", async () => {
    const body = (Message: unknown) =>
      JSON.stringify({ Type: "Notification", MessageId: "m", TopicArn: MAIL_TOPIC, Message: JSON.stringify(Message) });
    const receipt = { recipients: [`${local}@${MAIL_DOMAIN}`], action: { type: "S3", objectKey: `jobs/${world.workspace}/x` } };
    expect(
      await world.receive(world.own.arn, body({ notificationType: "Received", mail: { messageId: "m" }, receipt }), { id: "m" }),
    ).toEqual(["m"]);
    expect(await newJobs()).toEqual([]);
  });
});
