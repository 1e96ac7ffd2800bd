import { defined } from "../../../contract/defined.ts";
import type { StackConfig } from "../../../lib/config.ts";
import { Complaint } from "../../launch/complaint.mjs";
import { namedRegion, runAws } from "../aws-cli.ts";
import { lastLines } from "../command.ts";

/** The reply of AWS to a call, or the code and the sentence with which it refused. */
export type Answer<T> = { value: T } | { code: string; reason: string };

interface Stack {
  StackId: string;
  StackStatus: string;
  Description?: string;
}
export interface StackEvent {
  ResourceStatus: string;
  ResourceStatusReason?: string;
  LogicalResourceId: string;
}

/** The state of an account and region that decides whether the stack can be deployed. Reading it does not change the account. */
export interface Account {
  region: string;
  caller: Answer<{ Account: string; Arn: string }>;
  bootstrap: Answer<{ Parameter: { Value: string } }>;
  concurrency: Answer<{ AccountLimit: { ConcurrentExecutions: number; UnreservedConcurrentExecutions: number } }>;
  gateway: Answer<{ cloudwatchRoleArn?: string }>;
  stack: Answer<{ Stacks: Stack[] }>;
  /** The events of a stack, the newest first. */
  events: Answer<{ StackEvents?: StackEvent[] }>;
  stateQuotas: Answer<{ Quotas?: { QuotaName: string; Value: number }[] }>;
  /** Absent if the settings need none of it. */
  edge?: { distributions: Answer<{ DistributionList?: { Items?: object[] } }>; quota: Answer<{ Quota: { Value: number } }> };
  certificates: readonly { name: string; arn: string; answer: Answer<{ Certificate: { Status: string } }> }[];
  mail?: {
    identity: Answer<{ VerifiedForSendingStatus?: boolean }>;
    sending: Answer<{ ProductionAccessEnabled?: boolean; SendingEnabled?: boolean }>;
  };
}

/**
 * Reads an account with the AWS CLI, which has the user's credentials. Throws a complaint without credentials, without a region, and without the
 * CLI.
 */
export async function readAccount(config: StackConfig, profile?: string): Promise<Account> {
  const cli = (...args: string[]) => callCli(args, profile);
  const caller = await cli("sts", "get-caller-identity");
  if (!("value" in caller))
    throw new Complaint(`AWS accepts no credentials from this shell. ${caller.reason}\nSign in: aws sso login, or aws configure`);
  const region = await readRegion(cli);
  const name = config.stackName;
  const global = ["--region", "us-east-1"];
  const domains = [config.customDomain, config.routesDomain].filter((domain) => domain !== undefined);
  const [bootstrap, concurrency, gateway, stack, events, stateQuotas, edge, certificates, mail] = await Promise.all([
    cli("ssm", "get-parameter", "--name", "/cdk-bootstrap/hnb659fds/version"),
    cli("lambda", "get-account-settings"),
    cli("apigateway", "get-account"),
    cli("cloudformation", "describe-stacks", "--stack-name", name),
    cli("cloudformation", "describe-stack-events", "--stack-name", name, "--max-items", "200"),
    cli("service-quotas", "list-service-quotas", "--service-code", "states"),
    config.edge ? readEdge(cli, global) : undefined,
    Promise.all(
      domains.map(async ({ name, certificateArn: arn }) => {
        const answer = await cli("acm", "describe-certificate", "--certificate-arn", arn, "--region", arn.split(":")[3] ?? "");
        return { name, arn, answer };
      }),
    ),
    config.mailFrom ? readMail(cli, config.mailIdentity ?? config.mailFrom) : undefined,
  ]);
  return {
    ...({ region, caller, bootstrap, concurrency, gateway, stack, events, stateQuotas, certificates } as Omit<Account, "edge" | "mail">),
    ...defined({ edge, mail }),
  };
}

type Cli = (...args: string[]) => Promise<Answer<unknown>>;

async function readEdge(cli: Cli, global: string[]): Promise<Account["edge"]> {
  const [distributions, quota] = await Promise.all([
    cli("cloudfront", "list-distributions", "--max-items", "200"),
    // The quotas of global services are in one region.
    cli("service-quotas", "get-service-quota", "--service-code", "cloudfront", "--quota-code", "L-24B04930", ...global),
  ]);
  return { distributions, quota } as Account["edge"];
}

async function readMail(cli: Cli, identity: string): Promise<Account["mail"]> {
  const [found, sending] = await Promise.all([
    cli("sesv2", "get-email-identity", "--email-identity", identity),
    cli("sesv2", "get-account"),
  ]);
  return { identity: found, sending } as Account["mail"];
}

async function readRegion(cli: Cli): Promise<string> {
  const named = namedRegion();
  if (named) return named;
  const found = await cli("configure", "get", "region");
  if ("value" in found && typeof found.value === "string" && found.value !== "") return found.value;
  throw new Complaint("No region is chosen. Choose one: aws configure set region eu-west-1, or AWS_REGION=eu-west-1 before the command.");
}

async function callCli(args: readonly string[], profile: string | undefined): Promise<Answer<unknown>> {
  const { code, output } = await runAws(args, profile === undefined ? {} : { AWS_PROFILE: profile });
  if (code !== 0) return { code: /\((\w+)\)/.exec(output)?.[1] ?? "", reason: lastLines(output, 2).trim() };
  const text = output.trim();
  // A single value is not JSON, and the CLI prints nothing for an empty reply.
  return { value: text === "" ? {} : /^[[{]/.test(text) ? JSON.parse(text) : text };
}
