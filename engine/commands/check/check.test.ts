import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { parseConfig } from "../../../lib/config.ts";
import { runCommand } from "../command.ts";
import { readAccount } from "./account.ts";
import { judge } from "./findings.ts";
import { report } from "./report.ts";
import { readSettings } from "./settings.ts";

const root = path.join(import.meta.dirname, "../../..");
const folder = mkdtempSync(path.join(tmpdir(), "svc-account-"));
const replies = path.join(folder, "replies");

/** A stand-in for the AWS CLI: it prints the stored reply of each call. */
const PROGRAM = `#!/bin/sh
reply="${replies}/$1.$2"
if [ -f "$reply.json" ]; then cat "$reply.json"; exit 0; fi
echo "An error occurred ($(cat "$reply.error" 2>/dev/null || echo AccessDenied)) when calling the operation" >&2
exit 254
`;

type Replies = Record<string, object | string>;

const arn = (region: string) => `arn:aws:acm:${region}:111111111111:certificate/abc`;
const quotas = (Value: number) => ({ Quotas: [{ QuotaName: "StateTransition throttle token refill rate per second", Value }] });
const stackIn = (StackStatus: string, Description = "svc: workflow automation") => ({
  Stacks: [{ StackId: "arn:1", StackStatus, Description }],
});
const failure = (ResourceStatusReason: string) => ({
  StackEvents: [
    { ResourceStatus: "ROLLBACK_COMPLETE", LogicalResourceId: "svc" },
    { ResourceStatus: "CREATE_FAILED", LogicalResourceId: "Other", ResourceStatusReason: "Resource creation cancelled" },
    { ResourceStatus: "CREATE_FAILED", LogicalResourceId: "EdgeDistribution", ResourceStatusReason },
  ],
});
const REFUSED =
  "Your account must be verified before you can add new CloudFront resources. To verify your account, please contact AWS Support";

/** An account in which the default settings can be deployed. A text is an error code. */
const READY: Replies = {
  "sts.get-caller-identity": { Account: "111111111111", Arn: "arn:aws:iam::111111111111:user/ann" },
  "ssm.get-parameter": { Parameter: { Value: "27" } },
  "lambda.get-account-settings": { AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 1000 } },
  "apigateway.get-account": {},
  "cloudformation.describe-stacks": "ValidationError",
  "cloudformation.describe-stack-events": "ValidationError",
  "service-quotas.list-service-quotas": quotas(800),
  "service-quotas.get-service-quota": { Quota: { Value: 200 } },
  "cloudfront.list-distributions": { DistributionList: { Items: [{}] } },
  "acm.describe-certificate": { Certificate: { Status: "ISSUED" } },
  "sesv2.get-email-identity": "NotFoundException",
  "sesv2.get-account": { ProductionAccessEnabled: true, SendingEnabled: true },
};

function answerWith(changes: Replies): void {
  rmSync(replies, { recursive: true, force: true });
  mkdirSync(replies);
  for (const [call, reply] of Object.entries({ ...READY, ...changes })) {
    if (typeof reply === "string") writeFileSync(path.join(replies, `${call}.error`), reply);
    else writeFileSync(path.join(replies, `${call}.json`), JSON.stringify(reply));
  }
}

beforeAll(() => {
  writeFileSync(path.join(folder, "aws"), PROGRAM);
  chmodSync(path.join(folder, "aws"), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

async function check(changes: Replies = {}, settings: Record<string, unknown> = {}, region = "eu-west-1") {
  answerWith(changes);
  vi.stubEnv("PATH", `${folder}${path.delimiter}${process.env["PATH"]}`);
  vi.stubEnv("AWS_REGION", region);
  const config = parseConfig(settings);
  const findings = judge(await readAccount(config), config);
  return { findings, text: report(findings, settings), worst: findings.filter(({ level }) => level !== "ok") };
}

const mail = { mailFrom: "a@example.com" };
const domain = { customDomain: { name: "svc.example.com", certificateArn: arn("us-east-1") } };
const limit = (ConcurrentExecutions: number, UnreservedConcurrentExecutions = ConcurrentExecutions) => ({
  "lambda.get-account-settings": { AccountLimit: { ConcurrentExecutions, UnreservedConcurrentExecutions } },
});
const role = { "apigateway.get-account": { cloudwatchRoleArn: "arn:aws:iam::111111111111:role/other-logs" } };
const noDistribution = { "cloudfront.list-distributions": {} };

interface Row {
  when: string;
  account?: Replies;
  settings?: Record<string, unknown>;
  region?: string;
  finding: { level: "unknown" | "limits" | "blocks"; text: RegExp; mend?: RegExp; settings?: object };
}

const rows: Row[] = [
  {
    when: "CDK was never used",
    account: { "ssm.get-parameter": "ParameterNotFound" },
    finding: { level: "blocks", text: /no bootstrap stack/, mend: /^npx cdk bootstrap aws:\/\/111111111111\/eu-west-1$/ },
  },
  {
    when: "the bootstrap stack is old",
    account: { "ssm.get-parameter": { Parameter: { Value: "5" } } },
    finding: { level: "blocks", text: /has version 5/, mend: /cdk bootstrap/ },
  },
  {
    when: "the bootstrap stack cannot be read",
    account: { "ssm.get-parameter": "AccessDenied" },
    finding: { level: "unknown", text: /AccessDenied/ },
  },
  {
    when: "the region has no tenant isolation",
    region: "ap-southeast-6",
    finding: { level: "blocks", text: /no tenant isolation in ap-southeast-6/ },
  },
  {
    when: "the account is not of the commercial partition",
    region: "us-gov-west-1",
    account: { "sts.get-caller-identity": { Account: "1", Arn: "arn:aws-us-gov:iam::1:user/ann" } },
    finding: { level: "blocks", text: /no tenant isolation/ },
  },
  {
    when: "the account is new",
    account: limit(10),
    finding: {
      level: "blocks",
      text: /reserve 470 executions, but functions of this account can reserve 0 of its 10/,
      mend: /request-service-quota-increase .*L-B99A9384/,
      settings: { reservedConcurrency: 0 },
    },
  },
  {
    when: "another stack has reserved most of the account",
    account: limit(1000, 240),
    finding: { level: "blocks", text: /can reserve 140 of its 1000/, settings: { reservedConcurrency: 14 } },
  },
  {
    when: "the account is small and nothing is reserved",
    account: limit(10),
    settings: { reservedConcurrency: 0 },
    finding: { level: "limits", text: /runs 10 functions at once/, mend: /L-B99A9384/ },
  },
  {
    when: "another API has set the role for logs",
    account: role,
    finding: { level: "limits", text: /other-logs, and the stack would replace it/, settings: { gatewayLogRole: false } },
  },
  {
    when: "the setting expects a role for logs that does not exist",
    settings: { gatewayLogRole: false },
    finding: { level: "blocks", text: /has no role with which/, settings: { gatewayLogRole: true } },
  },
  {
    when: "the account has no distribution",
    account: noDistribution,
    finding: { level: "unknown", text: /may refuse the first one/, mend: /edge: false/ },
  },
  {
    when: "CloudFront has refused the last deployment",
    account: {
      ...noDistribution,
      "cloudformation.describe-stacks": stackIn("ROLLBACK_COMPLETE"),
      "cloudformation.describe-stack-events": failure(REFUSED),
    },
    settings: domain,
    finding: { level: "blocks", text: /refused the distribution/, mend: /AWS Support/, settings: { edge: false, customDomain: undefined } },
  },
  {
    when: "CloudFront has refused the distribution that an update adds",
    account: {
      ...noDistribution,
      "cloudformation.describe-stacks": stackIn("UPDATE_ROLLBACK_COMPLETE"),
      "cloudformation.describe-stack-events": failure(REFUSED),
    },
    finding: { level: "blocks", text: /refused the distribution/, settings: { edge: false } },
  },
  {
    when: "the account has all distributions that it may have",
    account: { "service-quotas.get-service-quota": { Quota: { Value: 1 } } },
    finding: { level: "blocks", text: /1 of at most 1/, mend: /L-24B04930/, settings: { edge: false } },
  },
  {
    when: "a certificate does not exist",
    account: { "acm.describe-certificate": "ResourceNotFoundException" },
    settings: domain,
    finding: { level: "blocks", text: /does not exist/, mend: /acm list-certificates --region us-east-1/ },
  },
  {
    when: "a certificate is not issued",
    account: { "acm.describe-certificate": { Certificate: { Status: "PENDING_VALIDATION" } } },
    settings: domain,
    finding: { level: "blocks", text: /PENDING_VALIDATION/, mend: /describe-certificate/ },
  },
  {
    when: "a certificate is not in the region of a deployment without CloudFront",
    settings: { ...domain, edge: false },
    finding: { level: "blocks", text: /must be in eu-west-1/, mend: /request-certificate .*--region eu-west-1/ },
  },
  {
    when: "the sender is an identity already",
    account: { "sesv2.get-email-identity": { VerifiedForSendingStatus: true } },
    settings: mail,
    finding: { level: "blocks", text: /is an identity of SES already/, settings: { mailIdentity: "a@example.com" } },
  },
  {
    when: "the named identity does not exist",
    settings: { ...mail, mailIdentity: "example.com" },
    finding: { level: "blocks", text: /no identity of SES/, mend: /create-email-identity --email-identity example.com/ },
  },
  {
    when: "the named identity is not verified",
    account: { "sesv2.get-email-identity": { VerifiedForSendingStatus: false } },
    settings: { ...mail, mailIdentity: "example.com" },
    finding: { level: "limits", text: /not verified/ },
  },
  {
    when: "SES is in the sandbox",
    account: { "sesv2.get-account": { ProductionAccessEnabled: false, SendingEnabled: true } },
    settings: mail,
    finding: { level: "limits", text: /sandbox/, mend: /put-account-details --production-access-enabled/ },
  },
  {
    when: "SES sends nothing",
    account: { "sesv2.get-account": { ProductionAccessEnabled: true, SendingEnabled: false } },
    settings: mail,
    finding: { level: "limits", text: /paused sending/ },
  },
  {
    when: "Step Functions gives a new account less",
    account: { "service-quotas.list-service-quotas": quotas(100) },
    finding: { level: "limits", text: /^100 state transitions/, mend: /servicequotas/ },
  },
  {
    when: "the quotas of Step Functions have no such name",
    account: { "service-quotas.list-service-quotas": {} },
    finding: { level: "unknown", text: /name no rate/ },
  },
  {
    when: "the name of the stack is taken",
    account: { "cloudformation.describe-stacks": stackIn("CREATE_COMPLETE", "A shop") },
    finding: { level: "blocks", text: /Another stack/, settings: { stackName: "my-svc" } },
  },
  {
    when: "a deployment is running",
    account: { "cloudformation.describe-stacks": stackIn("UPDATE_IN_PROGRESS") },
    finding: { level: "blocks", text: /changing \(UPDATE_IN_PROGRESS\)/, mend: /wait stack-update-complete/ },
  },
  {
    when: "an update could not be undone",
    account: {
      "cloudformation.describe-stacks": stackIn("UPDATE_ROLLBACK_FAILED"),
      "cloudformation.describe-stack-events": failure("No such role."),
    },
    finding: { level: "blocks", text: /EdgeDistribution: No such role/, mend: /continue-update-rollback/ },
  },
  ...["ROLLBACK_FAILED", "DELETE_FAILED"].map(
    (status): Row => ({
      when: `the stack is in the state ${status}`,
      account: { "cloudformation.describe-stacks": stackIn(status) },
      finding: { level: "blocks", text: new RegExp(status), mend: /aws:destroy -- --stack svc/ },
    }),
  ),
  {
    when: "the first deployment failed",
    account: {
      "cloudformation.describe-stacks": stackIn("ROLLBACK_COMPLETE"),
      "cloudformation.describe-stack-events": failure("Out of luck."),
    },
    finding: { level: "limits", text: /cdk removes its remains.*EdgeDistribution: Out of luck/ },
  },
];

describe("npm run aws:check", () => {
  it("reports no problem for an account that is ready, and for a stack that exists", async () => {
    const all = { ...mail, ...domain };
    const { worst, text, findings } = await check({}, all);
    expect(worst).toEqual([]);
    expect(findings.map(({ about }) => about)).toEqual([
      ...["credentials", "bootstrap", "tenant isolation", "concurrency", "API Gateway's role", "CloudFront"],
      ...["certificate of svc.example.com", "mail from a@example.com", "SES", "Step Functions", "stack svc"],
    ]);
    expect(text).toMatch(/^ok +credentials +arn:aws:iam[\s\S]*Nothing here stops a deployment\.\n$/);
    const existing = { "cloudformation.describe-stacks": stackIn("UPDATE_COMPLETE"), ...limit(1000, 530) };
    const own = { "apigateway.get-account": { cloudwatchRoleArn: "arn:aws:iam::1:role/svc-GatewayRestCloudWatchRole-1" } };
    expect((await check({ ...existing, ...own, "sesv2.get-email-identity": { VerifiedForSendingStatus: true } }, all)).worst).toEqual([]);
  });

  it.each(rows.map((row) => [row.when, row] as const))("reports what to do if %s", async (_, { account, settings, region, finding }) => {
    const { worst, text } = await check(account, settings, region);
    const found = worst.find((one) => finding.text.test(one.text));
    expect([found?.level, found?.settings ?? {}], text).toEqual([finding.level, expect.objectContaining(finding.settings ?? {})]);
    if (finding.mend) expect(found?.mend).toMatch(finding.mend);
    expect(worst.filter(({ level }) => level === "blocks").every((one) => one.mend !== undefined || one.settings !== undefined)).toBe(true);
  });

  it("reports the failure of the last deployment, and of no earlier one", async () => {
    const began = { LogicalResourceId: "svc", ResourceStatus: "UPDATE_IN_PROGRESS" };
    const StackEvents = [...failure("Out of luck.").StackEvents, began, ...failure(REFUSED).StackEvents];
    const account = { ...noDistribution, "cloudformation.describe-stack-events": { StackEvents } };
    const { text } = await check({ ...account, "cloudformation.describe-stacks": stackIn("UPDATE_ROLLBACK_FAILED") });
    expect(text).toContain("EdgeDistribution: Out of luck.");
    const rolledBack = await check({ ...account, "cloudformation.describe-stacks": stackIn("UPDATE_ROLLBACK_COMPLETE") });
    expect(rolledBack.text).not.toContain("refused the distribution");
  });

  it("prints settings with which nothing blocks the deployment, without those that the account does not allow", async () => {
    const account = {
      ...limit(10),
      ...role,
      "cloudformation.describe-stacks": stackIn("ROLLBACK_COMPLETE"),
      "cloudformation.describe-stack-events": failure(REFUSED),
    };
    const { text } = await check(account, { ...domain, stepConcurrency: 7, workerConcurrency: 30, alarmEmail: "o'neill@example.com" });
    const quoted = /npm run aws:deploy -- -c svc='(.*)'\n/.exec(text)?.[1] ?? "";
    const { input: given, config } = await readSettings(["-c", `svc=${quoted.replaceAll("'\\''", "'")}`]);
    expect(given).toEqual({
      alarmEmail: "o'neill@example.com",
      reservedConcurrency: 0,
      workerConcurrency: 2,
      gatewayLogRole: false,
      edge: false,
    });
    answerWith(account);
    expect(judge(await readAccount(config), config).filter(({ level }) => level === "blocks")).toEqual([]);
  });

  it("refuses to continue without credentials or a region, in one sentence", async () => {
    await expect(check({ "sts.get-caller-identity": "ExpiredToken" })).rejects.toThrow(/accepts no credentials.*ExpiredToken/s);
    vi.stubEnv("AWS_DEFAULT_REGION", undefined);
    await expect(check({ "configure.get": "" }, {}, "")).rejects.toThrow("No region is chosen.");
  });

  it("reads settings as cdk does, and names their faults", async () => {
    expect((await readSettings(["--require-approval", "never", "--context", 'svc={"edge":false}', "--profile", "ops"])).profile).toBe(
      "ops",
    );
    expect((await readSettings(["-c", 'svc={"edge":true}', "-c", "other=1", "-c", 'svc={"edge":false}'])).config.edge).toBe(false);
    expect((await readSettings([])).input).toEqual({});
    await expect(readSettings(["-c", "svc={"])).rejects.toThrow("is not JSON");
    await expect(readSettings(["-c", 'svc={"egde":false}'])).rejects.toThrow("egde");
  });
});

describe("npm run aws:deploy", () => {
  const run = (...args: string[]) =>
    runCommand(process.execPath, ["engine/commands/aws-deploy.ts", ...args], {
      cwd: root,
      env: { ...process.env, PATH: `${folder}${path.delimiter}${process.env["PATH"]}`, AWS_REGION: "eu-west-1" },
    });

  it("starts no deployment that would fail", async () => {
    answerWith(limit(10));
    const { code, output } = await run("--help");
    expect([code, output]).toEqual([1, expect.stringContaining("Nothing was deployed.")]);
    expect(output).not.toContain("cdk deploy [STACKS..]");
  });

  it("passes its arguments to cdk if nothing blocks the deployment", async () => {
    answerWith(limit(10));
    const { code, output } = await run("-c", 'svc={"reservedConcurrency":0}', "--help");
    expect([code, output]).toEqual([0, expect.stringContaining("cdk deploy")]);
    expect(output).toContain("Nothing here stops a deployment.");
  });
});
