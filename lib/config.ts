import type { Node } from "constructs";
import * as z from "zod";

/** Where interpreters are on this machine, for an engine that runs functions as processes of it. */
const interpretersSchema = z.object({
  bun: z.string().optional(),
  deno: z.string().optional(),
  node: z.string().optional(),
  uv: z.string().optional(),
  go: z.string().optional(),
  /** The runners' working directory, `SVC_WORK_DIR`. */
  workDir: z.string().optional(),
});

/** A provider that speaks OpenID Connect, where people may have accounts to sign in with. */
const loginSchema = z.strictObject({
  /** Stands in addresses: `/api/oauth/login/<name>`. */
  name: z.string().regex(/^[a-z][a-z0-9-]{2,31}$/, "3 to 32 lower-case letters, digits and '-', starting with a letter"),
  displayName: z.string().max(100).optional(),
  issuer: z.url(),
  clientId: z.string().min(1),
  /** The name of the secret in Secrets Manager, never the secret. */
  clientSecretName: z.string().min(1),
});

/**
 * What one deployment may decide. It comes from the context key `svc`, as an object in cdk.json or as JSON on the command line:
 * `npx cdk deploy -c svc='{"alarmEmail":"ops@example.com"}'`. Everything left out is what an AWS account should have.
 */
const stackConfigSchema = z
  .strictObject({
    /** A local engine instead of AWS: no CloudFront, no alarms, no walls between tenants, data goes with the stack. */
    local: z.boolean().default(false),
    /** Public origin without a trailing slash; on AWS it is the distribution's (or the custom domain's) own. */
    baseUrl: z.url().optional(),
    /** Origin that runners reach the API at, `baseUrl` unless something else is nearer. */
    internalUrl: z.url().optional(),
    arch: z.enum(["arm64", "x64"]).default("arm64"),
    /** `BuildTarget` of core/builds; by default what the runners below run on. */
    buildTarget: z
      .strictObject({ os: z.enum(["linux", "darwin"]), arch: z.enum(["x64", "arm64"]), python: z.string(), node: z.string() })
      .optional(),
    registries: z.strictObject({ npm: z.string().default(""), pypi: z.string().default(""), go: z.string().default("") }).prefault({}),
    /** Each asset carries its interpreters, for Linux and `arch` (lib/compute/interpreters.ts), or they are found by path: on AWS yes, locally no. */
    carryInterpreters: z.boolean().optional(),
    interpreters: interpretersSchema.prefault({}),
    /** Whether people can sign in with a password: a Cognito user pool. Without one they use tokens. */
    passwords: z.boolean().default(true),
    /** How a runner undoes what a job wrote to `/tmp` (contract/env.ts). */
    tmpMode: z.enum(["sweep", "private", "none"]).optional(),
    /** Tables, bucket, key and user pool stay when the stack goes; on AWS yes, locally no. */
    retainData: z.boolean().optional(),
    /** Headers that every run gets as arguments, separated by commas (spec §4.2). */
    includeHeaders: z.string().default(""),
    /** CIDR ranges, separated by commas, that addresses given by users may lead to although they are private (docs/files.md). */
    egressAllow: z.string().optional(),
    /** Who may be asked who somebody is, and the beginning of the user pool's own address for it (docs/aws.md). */
    logins: z.array(loginSchema).max(20).default([]),
    loginDomainPrefix: z
      .string()
      .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
      .optional(),
    alarmEmail: z.email().optional(),
    /** Whom mails about approvals come from; without it none are sent. */
    mailFrom: z.email().optional(),
    /** What SES knows the sender by, where that is verified already: the address itself, or its domain. */
    mailIdentity: z.string().min(3).optional(),
    customDomain: z.strictObject({ name: z.string(), certificateArn: z.string(), hostedZoneId: z.string().optional() }).optional(),
    logRetentionDays: z.union([z.literal(14), z.literal(30)]).default(30),
    /** Worker invocations at the same time, for each of the two queues; each carries up to ten jobs. SQS takes no less than 2. */
    workerConcurrency: z.int().min(2).max(1000).optional(),
    /** Kept free for `api` and for `beat`, each. 0 for an account whose concurrency quota is still the 10 of a new one. */
    reservedConcurrency: z.int().min(0).default(50),
    /** A custom domain with `internalUrl` aside, the sizes that a deployment may have to change. */
    runnerMemoryMb: z.int().min(512).max(10_240).default(1769),
  })
  .prefault({});

export interface StackConfig extends z.output<typeof stackConfigSchema> {
  /** Placeholders in place of interpreters: see lib/compute/interpreters.ts. */
  readonly skipInterpreters: boolean;
}

/** Reads `svc` and `svc.skipInterpreters` from the context; throws a sentence that names what is wrong. */
export function readConfig(node: Node): StackConfig {
  const given: unknown = node.tryGetContext("svc");
  const skip: unknown = node.tryGetContext("svc.skipInterpreters");
  return parseConfig(typeof given === "string" ? JSON.parse(given) : given, skip === true || skip === "true");
}

export function parseConfig(given: unknown, skipInterpreters = false): StackConfig {
  const parsed = stackConfigSchema.safeParse(given);
  if (!parsed.success) throw new Error(`The context key svc is not valid. ${z.prettifyError(parsed.error)}`);
  if (parsed.data.local && !parsed.data.baseUrl)
    throw new Error("A local deployment needs svc.baseUrl, because it has no CloudFront distribution.");
  const { local, logins, loginDomainPrefix } = parsed.data;
  if (new Set(logins.map(({ name }) => name)).size < logins.length) throw new Error("Two of svc.logins have the same name.");
  if (!local && logins.length > 0) {
    if (!loginDomainPrefix)
      throw new Error("svc.logins needs svc.loginDomainPrefix, because users sign in at <prefix>.auth.<region>.amazoncognito.com.");
    const open = logins.find(({ issuer }) => !issuer.startsWith("https:"));
    if (open) throw new Error(`The issuer of login ${open.name} must begin with https:`);
  }
  return { ...parsed.data, skipInterpreters };
}

export function retainsData(config: StackConfig): boolean {
  return config.retainData ?? !config.local;
}

/** An engine that runs functions in containers is local and has none of this machine's files. */
export function carriesInterpreters(config: StackConfig): boolean {
  return config.carryInterpreters ?? !config.local;
}
