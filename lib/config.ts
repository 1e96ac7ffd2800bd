import { Token } from "aws-cdk-lib";
import type { Node } from "constructs";
import * as z from "zod";
import { clientAddressModes } from "../contract/deployment/client-addresses.ts";
import { DEFAULT_STACK } from "../contract/deployment/stack-names.ts";
import { webhookUrl } from "../contract/routes/events/webhook-url.ts";

/** Paths of interpreters on this machine, for an engine that runs functions as local processes. */
const interpretersSchema = z
  .object({
    node: z.string().optional(),
    uv: z.string().optional(),
    go: z.string().optional(),
    /** The runners' working directory, `SVC_WORK_DIR`. */
    workDir: z.string().optional(),
  })
  // The interpreters of the manifests, by name.
  .catchall(z.string().optional());

/** An OpenID Connect provider with whose accounts people can sign in. */
const loginSchema = z.strictObject({
  /** Part of URLs: `/api/oauth/login/<name>`. */
  name: z.string().regex(/^[a-z][a-z0-9-]{2,31}$/, "3 to 32 lower-case letters, digits and '-', starting with a letter"),
  displayName: z.string().max(100).optional(),
  issuer: z.url(),
  clientId: z.string().min(1),
  /** The name of the secret in Secrets Manager, never the secret. */
  clientSecretName: z.string().min(1),
});

/** A key of one region alone cannot decrypt data of another region. */
const replicaArn = z.string().regex(/^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/mrk-[0-9a-f]{32}$/, "the ARN of a multi-region key");

/** A name that CloudFront answers. The certificate is in us-east-1, or without CloudFront in the region of the stack; with the hosted zone, the stack creates the records. */
const domainSchema = z.strictObject({ name: z.string(), certificateArn: z.string(), hostedZoneId: z.string().optional() });
export type DomainConfig = z.output<typeof domainSchema>;

/**
 * The settings of one deployment. They come from the context key `svc`, as an object in cdk.json or as JSON on the command line:
 * `npx cdk deploy -c svc='{"alarmEmail":"ops@example.com"}'`. The defaults are right for an AWS account.
 */
const stackConfigSchema = z
  .strictObject({
    /** The name of the CloudFormation stack. Two stages in one account and region have different names. */
    stackName: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,11}$/, "1 to 12 lower-case letters, digits and '-', starting with a letter")
      // The roles of the stack `svc` may use every state machine whose name begins with `svc-`.
      .refine((name) => !name.startsWith("svc-"), "The name of another stack cannot begin with svc-. Use a name such as staging-svc.")
      .default(DEFAULT_STACK),
    /** A local engine instead of AWS: no CloudFront, no alarms, no isolation between tenants; data is deleted with the stack. */
    local: z.boolean().default(false),
    /** Whether CloudFront is in front of the service. Without it, API Gateway answers at a custom domain of the region or at its own address (docs/aws.md). */
    edge: z.boolean().default(true),
    /** Public origin without a trailing slash; on AWS the default is the origin of the distribution or the custom domain. */
    baseUrl: z.url().optional(),
    /** Origin at which runners reach the API; the default is `baseUrl`. */
    internalUrl: z.url().optional(),
    arch: z.enum(["arm64", "x64"]).default("arm64"),
    /** `BuildTarget` of core/builds; the default is the platform of the runners. */
    buildTarget: z
      .strictObject({ os: z.enum(["linux", "darwin"]), arch: z.enum(["x64", "arm64"]), python: z.string(), node: z.string() })
      .optional(),
    registries: z.strictObject({ npm: z.string().default(""), pypi: z.string().default(""), go: z.string().default("") }).prefault({}),
    /** Whether each asset contains its interpreters for Linux and `arch` (lib/compute/bundles/interpreters.ts). Otherwise they are found by path. Default: yes on AWS, no locally. */
    carryInterpreters: z.boolean().optional(),
    interpreters: interpretersSchema.prefault({}),
    /** Whether people can sign in with a password, through a Cognito user pool. Without it they use tokens. */
    passwords: z.boolean().default(true),
    /** The method by which a runner removes a job's files from `/tmp` (contract/env.ts). */
    tmpMode: z.enum(["sweep", "private", "none"]).optional(),
    /** Whether tables, bucket, key and user pool remain when the stack is deleted. Default: yes on AWS, no locally. */
    retainData: z.boolean().optional(),
    /** Whether the tables, the user pool and the stack itself refuse to be deleted. Only for a stack that exists: see lib/storage/retention.ts. */
    deletionProtection: z.boolean().default(false),
    /**
     * Tables that were restored from a backup, by name, and the replicas of multi-region keys in this region, in place of those that the stack created
     * (docs/aws.md, "Restoring").
     */
    restored: z
      .strictObject({
        jobsTable: z.string().min(3).optional(),
        objectsTable: z.string().min(3).optional(),
        secretsKey: replicaArn.optional(),
        anchorKey: replicaArn.optional(),
      })
      .prefault({}),
    /** Whether the keys can be replicated in other regions. Only for a new stack: KMS cannot change it. */
    multiRegionKeys: z.boolean().default(false),
    /** Headers that every run receives as arguments, separated by commas (spec §4.2). */
    includeHeaders: z.string().default(""),
    /** The URL that receives the events of the instance (spec §6.2), if the setting `instance_events_webhook` names no other one. */
    instanceEventsWebhook: webhookUrl.or(z.literal("")).default(""),
    /** Private CIDR ranges, separated by commas, that URLs of users may nevertheless reach (docs/files.md). */
    egressAllow: z.string().optional(),
    /** OpenID Connect providers for sign-in, and the prefix of the user pool's own domain for them (docs/aws.md). */
    logins: z.array(loginSchema).max(20).default([]),
    loginDomainPrefix: z
      .string()
      .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
      .optional(),
    alarmEmail: z.email().optional(),
    /** Whether the stack has a dashboard. It costs $3 a month unless it is one of the account's first three. */
    dashboard: z.boolean().default(false),
    /** The sender of mails about approvals. Without it no mails are sent. */
    mailFrom: z.email().optional(),
    /** An SES identity that is already verified for the sender: the address or its domain. */
    mailIdentity: z.string().min(3).optional(),
    /** The domain whose mails start jobs. Its MX record names SES, and the receipt rule set of the stack is active (docs/aws.md). */
    mailDomain: z
      .string()
      .regex(/^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, "a domain in lower case")
      .optional(),
    customDomain: domainSchema.optional(),
    /** The domain that serves only HTTP routes, so that their pages do not share the origin of the console (docs/aws.md). */
    routesDomain: domainSchema.optional(),
    /** The form of the client's address in the log lines of requests (docs/aws.md, "Monitoring"). */
    clientAddresses: z.enum(clientAddressModes).default("shortened"),
    /** The names of the keys with which CloudFront calls the API. The first one is sent, and all are accepted (docs/aws.md, "The edge"). */
    edgeKeys: z
      .array(z.string().regex(/^[a-z0-9]{1,16}$/, "1 to 16 lower-case letters and digits"))
      .min(1)
      .max(2)
      .refine((names) => new Set(names).size === names.length, "Each name can occur once.")
      .default(["stack"]),
    /** Whether the stack sets the role with which API Gateway writes logs. There is one for all APIs of the region. */
    gatewayLogRole: z.boolean().default(true),
    logRetentionDays: z.union([z.literal(14), z.literal(30)]).default(30),
    /** Maximum concurrent worker invocations for each of the two queues. SQS requires at least 2. Default: as many as fit into the quota (lib/compute/concurrency.ts), or 5 locally. */
    workerConcurrency: z.int().min(2).max(1000).optional(),
    /** Jobs of one worker invocation, which ends with the longest of them (docs/aws.md). Default: 1, or 10 locally. */
    workerBatchSize: z.int().min(1).max(10).optional(),
    /** Reserved concurrency of `step`, which is also the number of steps of flows that run at once. Default: twice `reservedConcurrency`. */
    stepConcurrency: z.int().min(0).optional(),
    /** Reserved concurrency of `run`, `routes` and `stream`, which is also their ceiling. Default: twice, once and twice `reservedConcurrency`. */
    runConcurrency: z.int().min(0).optional(),
    routesConcurrency: z.int().min(0).optional(),
    streamConcurrency: z.int().min(0).optional(),
    /** Reserved concurrency of the functions of the API together and of `beat`, each; `approve` has 40 % of it. Use 0 for a new account with a concurrency quota of 10. */
    reservedConcurrency: z.int().min(0).default(50),
    /** The runs that share execution environments of runners: those of one identity, or of one workspace (docs/security.md, "Limitations"). */
    tenancy: z.enum(["identity", "workspace"]).default("identity"),
    runnerMemoryMb: z.int().min(512).max(10_240).default(1769),
  })
  .prefault({});

/** The settings before defaults are applied. */
export type SvcSettings = NonNullable<z.input<typeof stackConfigSchema>>;

export interface StackConfig extends z.output<typeof stackConfigSchema> {
  /** Placeholders in place of interpreters: see lib/compute/bundles/interpreters.ts. */
  readonly skipInterpreters: boolean;
}

/** Reads `svc` and `svc.skipInterpreters` from the context. Throws an error that names the invalid setting. */
export function readConfig(node: Node): StackConfig {
  const settings: unknown = node.tryGetContext("svc");
  return parseConfig(typeof settings === "string" ? JSON.parse(settings) : settings, skipsInterpreters(node));
}

/** Returns whether the context key `svc.skipInterpreters` is set: the app is synthesised to check its template, and not to deploy it. */
export function skipsInterpreters(node: Node): boolean {
  const skip: unknown = node.tryGetContext("svc.skipInterpreters");
  return skip === true || skip === "true";
}

export function parseConfig(input: unknown, skipInterpreters = false): StackConfig {
  const parsed = stackConfigSchema.safeParse(input);
  if (!parsed.success) throw new Error(`The context key svc is not valid. ${z.prettifyError(parsed.error)}`);
  if (parsed.data.local && !parsed.data.baseUrl)
    throw new Error("A local deployment needs svc.baseUrl, because it has no CloudFront distribution.");
  const { local, logins, loginDomainPrefix, edge, customDomain, routesDomain } = parsed.data;
  if (!edge && routesDomain) throw new Error("svc.routesDomain needs CloudFront: remove it, or svc.edge.");
  // A certificate in another region would fail the deployment after minutes. The ARN of a certificate that the app creates is a token,
  // which cannot be checked here.
  const atEdge = local || !edge ? [] : [customDomain, routesDomain];
  const elsewhere = atEdge.find(
    (domain) => domain && !Token.isUnresolved(domain.certificateArn) && !domain.certificateArn.includes(":acm:us-east-1:"),
  );
  if (elsewhere) throw new Error(`CloudFront reads certificates in us-east-1 only. Request one for ${elsewhere.name} there.`);
  if (new Set(logins.map(({ name }) => name)).size < logins.length) throw new Error("Two of svc.logins have the same name.");
  if (!local && logins.length > 0) {
    if (!loginDomainPrefix)
      throw new Error("svc.logins needs svc.loginDomainPrefix, because users sign in at <prefix>.auth.<region>.amazoncognito.com.");
    const open = logins.find(({ issuer }) => !issuer.startsWith("https:"));
    if (open) throw new Error(`The issuer of login ${open.name} must begin with https:`);
  }
  return { ...parsed.data, skipInterpreters };
}

/** Whether the stack sets the role of API Gateway for logs. The local engine writes none. */
export const setsLogRole = ({ local, gatewayLogRole }: StackConfig): boolean => !local && gatewayLogRole;

/** Whether CloudFront is in front of the service. */
export const hasEdge = ({ local, edge }: StackConfig): boolean => !local && edge;

export function retainsData(config: StackConfig): boolean {
  return config.retainData ?? !config.local;
}

/** Whether the deployment is a local engine that runs functions in containers, which have no access to this machine's files. */
export function carriesInterpreters(config: StackConfig): boolean {
  return config.carryInterpreters ?? !config.local;
}
