import { divideConcurrency } from "../../../lib/compute/concurrency.ts";
import { parseConfig, type StackConfig } from "../../../lib/config.ts";
import type { Account, Answer, StackEvent } from "./account.ts";

/** `blocks`: the deployment would fail. `limits`: it succeeds, but with a limitation. `unknown`: AWS did not reveal it. */
export type Level = "ok" | "unknown" | "limits" | "blocks";

export interface Finding {
  about: string;
  level: Level;
  text: string;
  /** The remedy: a command or a sentence. */
  mend?: string;
  /** Settings with which the deployment would succeed now. */
  settings?: Partial<Record<keyof StackConfig, unknown>>;
}

/** The oldest bootstrap stack that the template accepts. */
const BOOTSTRAP_VERSION = 6;
/** Executions of an account that Lambda requires to remain unreserved. */
const MIN_UNRESERVED = 100;
/** Regions of AWS without tenant isolation of Lambda (docs/decisions/0140). */
const NO_TENANTS = ["ap-southeast-6"];
/** State transitions in a second in a region with the smaller default quota. */
const TRANSITIONS = 800;
const REFUSED_BY_CLOUDFRONT = /must be verified before you can add new CloudFront resources/;

type Check = (account: Account, config: StackConfig) => Finding | Finding[] | undefined;

/** Returns the findings about an account for settings, in the order of the report. */
export function judge(account: Account, config: StackConfig): Finding[] {
  return checks.flatMap((check) => check(account, config) ?? []);
}

const isNew = ({ stack }: Account) => !("value" in stack);

const refused = (about: string, answer: Exclude<Answer<unknown>, { value: unknown }>): Finding => ({
  about,
  level: "unknown",
  text: `AWS did not tell: ${answer.reason}`,
});

const checks: readonly Check[] = [
  function checkCredentials({ caller }) {
    return "value" in caller ? { about: "credentials", level: "ok", text: caller.value.Arn } : refused("credentials", caller);
  },

  function checkBootstrap({ bootstrap, region, caller }) {
    const about = "bootstrap";
    const mend = `npx cdk bootstrap aws://${"value" in caller ? caller.value.Account : "<account>"}/${region}`;
    if ("value" in bootstrap) {
      const version = Number(bootstrap.value.Parameter.Value);
      if (version >= BOOTSTRAP_VERSION) return { about, level: "ok", text: `version ${version}` };
      return {
        about,
        level: "blocks",
        text: `The bootstrap stack has version ${version}, but the template needs ${BOOTSTRAP_VERSION}.`,
        mend,
      };
    }
    if (bootstrap.code !== "ParameterNotFound") return refused(about, bootstrap);
    return { about, level: "blocks", text: "CDK has no bootstrap stack in this account and region.", mend };
  },

  function checkTenants({ caller, region }) {
    const about = "tenant isolation";
    const partition = "value" in caller ? caller.value.Arn.split(":")[1] : "aws";
    if (partition === "aws" && !NO_TENANTS.includes(region))
      return { about, level: "ok", text: `Lambda offers it in ${region}, by its documentation` };
    return {
      about,
      level: "blocks",
      text: `Lambda offers no tenant isolation in ${region}, on which runners depend.`,
      mend: "AWS_REGION=<another region> npm run aws:check",
    };
  },

  function checkConcurrency(account, config) {
    const about = "concurrency";
    const { concurrency } = account;
    if (!("value" in concurrency)) return refused(about, concurrency);
    const { ConcurrentExecutions: quota, UnreservedConcurrentExecutions: unreserved } = concurrency.value.AccountLimit;
    // The reservations of an existing stack already belong to it.
    const free = Math.max(0, (isNew(account) ? unreserved : quota) - MIN_UNRESERVED);
    const mend = "aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000";
    const needed = reservedInTotal(config);
    if (needed > free) {
      const text = `These settings reserve ${needed} executions, but functions of this account can reserve ${free} of its ${quota} more.`;
      return { about, level: "blocks", text, mend, settings: fittingConcurrency(config, { free, quota }) };
    }
    if (quota < 1000) return { about, level: "limits", text: `The account runs ${quota} functions at once: jobs beyond that wait.`, mend };
    return { about, level: "ok", text: `${needed} reserved of ${quota}` };
  },

  function checkGatewayRole(account, config) {
    const about = "API Gateway's role";
    const { gateway } = account;
    if (!("value" in gateway)) return refused(about, gateway);
    const { cloudwatchRoleArn: role } = gateway.value;
    if (!config.gatewayLogRole) {
      if (role) return { about, level: "ok", text: `${role} writes logs of the region` };
      const text = "The region has no role with which API Gateway writes logs, and the setting gatewayLogRole is off.";
      return { about, level: "blocks", text, settings: { gatewayLogRole: true } };
    }
    const isOurs = role?.split("/").at(-1)?.startsWith(`${config.stackName}-`) ?? true;
    if (isOurs) return { about, level: "ok", text: role ?? "none; the stack creates it" };
    return {
      about,
      level: "limits",
      text: `All APIs of the region write logs with the role ${role}, and the stack would replace it for all of them.`,
      mend: "Keep that role by the setting gatewayLogRole.",
      settings: { gatewayLogRole: false },
    };
  },

  function checkCloudFront(account, { edge, customDomain, stackName }) {
    const about = "CloudFront";
    if (!account.edge) return undefined;
    const { distributions, quota } = account.edge;
    const withoutEdge = { edge: false, ...(customDomain ? { customDomain: undefined } : {}) };
    const isRolledBack = statusOf(account).endsWith("ROLLBACK_COMPLETE") || isStuck(account);
    if (
      edge &&
      isRolledBack &&
      lastDeployment(account, stackName).some(({ ResourceStatusReason: reason = "" }) => REFUSED_BY_CLOUDFRONT.test(reason))
    )
      return {
        about,
        level: "blocks",
        text: "CloudFront refused the distribution of the last deployment, because AWS has not verified this account.",
        mend: "Ask AWS Support to verify the account for CloudFront (https://console.aws.amazon.com/support/home), or deploy without CloudFront.",
        settings: withoutEdge,
      };
    if (!("value" in distributions)) return refused(about, distributions);
    const used = distributions.value.DistributionList?.Items?.length ?? 0;
    const limit = "value" in quota ? quota.value.Quota.Value : Number.POSITIVE_INFINITY;
    if (isNew(account) && used >= limit)
      return {
        about,
        level: "blocks",
        text: `The account has ${used} of at most ${limit} distributions.`,
        mend: "aws service-quotas request-service-quota-increase --service-code cloudfront --quota-code L-24B04930 --desired-value <more> --region us-east-1",
        settings: withoutEdge,
      };
    if (used > 0) return { about, level: "ok", text: `${used} distributions exist, so the account is verified` };
    return {
      about,
      level: "unknown",
      text: "The account has no distribution yet. CloudFront may refuse the first one until AWS has verified the account, and no call shows it before.",
      mend: "If it does, ask AWS Support to verify the account. Until then, deploy with the setting edge: false.",
    };
  },

  function checkCertificates({ certificates, region }, { edge }) {
    return certificates.map(({ name, arn, answer }): Finding => {
      const about = `certificate of ${name}`;
      const needed = edge ? "us-east-1" : region;
      if (arn.split(":")[3] !== needed)
        return {
          about,
          level: "blocks",
          text: `It must be in ${needed}.`,
          mend: `aws acm request-certificate --domain-name ${name} --validation-method DNS --region ${needed}`,
        };
      if (!("value" in answer)) {
        if (answer.code !== "ResourceNotFoundException") return refused(about, answer);
        return { about, level: "blocks", text: `${arn} does not exist.`, mend: `aws acm list-certificates --region ${needed}` };
      }
      const { Status: status } = answer.value.Certificate;
      if (status === "ISSUED") return { about, level: "ok", text: "issued" };
      return {
        about,
        level: "blocks",
        text: `Its status is ${status}, but only an issued one can be used.`,
        mend: `aws acm describe-certificate --certificate-arn ${arn} --region ${needed}`,
      };
    });
  },

  function checkMail(account, { mailFrom = "", mailIdentity }) {
    if (!account.mail) return undefined;
    const { identity, sending } = account.mail;
    const findings: Finding[] = [];
    const about = `mail from ${mailFrom}`;
    const isVerified = "value" in identity && identity.value.VerifiedForSendingStatus === true;
    if ("value" in identity && mailIdentity === undefined && isNew(account)) {
      const text = `${mailFrom} is an identity of SES already, and the stack would create it again.`;
      findings.push({ about, level: "blocks", text, settings: { mailIdentity: mailFrom } });
    } else if (!("value" in identity) && identity.code !== "NotFoundException") findings.push(refused(about, identity));
    else if (!("value" in identity) && mailIdentity !== undefined) {
      const mend = `aws sesv2 create-email-identity --email-identity ${mailIdentity}`;
      findings.push({ about, level: "blocks", text: `${mailIdentity} is no identity of SES in this region.`, mend });
    } else if (!("value" in identity))
      findings.push({ about, level: "ok", text: "the stack creates the identity, and SES sends a link to it" });
    else if (!isVerified) {
      const mend = `Open the link in the mail of SES, or look at aws sesv2 get-email-identity --email-identity ${mailIdentity ?? mailFrom}`;
      findings.push({ about, level: "limits", text: "SES has not verified the identity: no mail is sent until then.", mend });
    } else findings.push({ about, level: "ok", text: "verified" });
    if (!("value" in sending)) return [...findings, refused("SES", sending)];
    if (sending.value.SendingEnabled === false)
      return [
        ...findings,
        { about: "SES", level: "limits", text: "AWS has paused sending in this region.", mend: "aws sesv2 get-account" },
      ];
    if (sending.value.ProductionAccessEnabled) return [...findings, { about: "SES", level: "ok", text: "production access" }];
    const mend =
      "aws sesv2 put-account-details --production-access-enabled --mail-type TRANSACTIONAL --website-url https://… --use-case-description '…'";
    return [
      ...findings,
      { about: "SES", level: "limits", text: "The region is in the sandbox: mails reach only verified addresses.", mend },
    ];
  },

  function checkStepFunctions({ stateQuotas }) {
    const about = "Step Functions";
    if (!("value" in stateQuotas)) return refused(about, stateQuotas);
    const rate = stateQuotas.value.Quotas?.find(({ QuotaName: name }) => /state ?transition.*(refill|rate)/i.test(name));
    if (!rate)
      return {
        about,
        level: "unknown",
        text: "The quotas name no rate of state transitions. New accounts have a lower one, which AWS raises with use.",
      };
    if (rate.Value >= TRANSITIONS) return { about, level: "ok", text: `${rate.Value} state transitions/s` };
    const text = `${rate.Value} state transitions/s. New accounts have a lower rate, which AWS raises with use; flows are late until then.`;
    return { about, level: "limits", text, mend: "https://console.aws.amazon.com/servicequotas/home/services/states/quotas" };
  },

  function checkStack(account, { stackName }) {
    const about = `stack ${stackName}`;
    const { stack } = account;
    if (!("value" in stack)) {
      return stack.code === "ValidationError" ? { about, level: "ok", text: "the name is free" } : refused(about, stack);
    }
    const [found] = stack.value.Stacks;
    if (!found) return { about, level: "ok", text: "the name is free" };
    const { StackStatus: status, Description: description = "" } = found;
    if (!description.startsWith("svc:"))
      return { about, level: "blocks", text: "Another stack has this name.", settings: { stackName: "my-svc" } };
    const failure = firstFailure(lastDeployment(account, stackName));
    if (status.endsWith("_IN_PROGRESS") && status !== "REVIEW_IN_PROGRESS")
      return {
        about,
        level: "blocks",
        text: `It is changing (${status}).`,
        mend: `aws cloudformation wait stack-update-complete --stack-name ${stackName}`,
      };
    if (status === "UPDATE_ROLLBACK_FAILED")
      return {
        about,
        level: "blocks",
        text: `It could not return to its previous state. ${failure}`,
        mend: `aws cloudformation continue-update-rollback --stack-name ${stackName}`,
      };
    if (["ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_FAILED"].includes(status))
      return { about, level: "blocks", text: `Its status is ${status}. ${failure}`, mend: `npm run aws:destroy -- --stack ${stackName}` };
    if (isStuck(account))
      return { about, level: "limits", text: `The last deployment failed, and cdk removes its remains (${status}). ${failure}` };
    return { about, level: "ok", text: `it is ours (${status})` };
  },
];

const statusOf = ({ stack }: Account): string => ("value" in stack && stack.value.Stacks[0]?.StackStatus) || "";

/** Whether the first deployment of the stack failed. */
const isStuck = (account: Account): boolean => ["ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "ROLLBACK_IN_PROGRESS"].includes(statusOf(account));

/** The events since the last deployment began, the newest first. */
function lastDeployment({ events }: Account, stackName: string): StackEvent[] {
  const all = ("value" in events && events.value.StackEvents) || [];
  const began = all.findIndex(
    ({ LogicalResourceId: id, ResourceStatus: status }) => id === stackName && /^(CREATE|UPDATE)_IN_PROGRESS$/.test(status),
  );
  return began === -1 ? all : all.slice(0, began);
}

/** The reason of the first failure of the last deployment. Later failures are consequences of it. */
function firstFailure(events: readonly StackEvent[]): string {
  const found = events.findLast(
    ({ ResourceStatus: status, ResourceStatusReason: reason = "" }) => status.endsWith("_FAILED") && !/cancelled/i.test(reason),
  );
  return found ? `${found.LogicalResourceId}: ${found.ResourceStatusReason ?? found.ResourceStatus}` : "";
}

const reservedInTotal = (config: StackConfig): number =>
  Object.values(divideConcurrency(config).reserved).reduce((total, reserved) => total + reserved, 0);

/** The largest reservations that fit, in their usual proportions, and workers in proportion to the quota. */
function fittingConcurrency(config: StackConfig, { free, quota }: { free: number; quota: number }): NonNullable<Finding["settings"]> {
  const proportions = { stepConcurrency: undefined, runConcurrency: undefined, routesConcurrency: undefined, streamConcurrency: undefined };
  let reservedConcurrency = config.reservedConcurrency;
  while (reservedConcurrency > 0 && reservedInTotal({ ...config, ...proportions, reservedConcurrency }) > free) reservedConcurrency--;
  const { workers } = divideConcurrency({ ...config, reservedConcurrency });
  const workerConcurrency = Math.max(2, Math.floor((divideConcurrency(parseConfig({})).workers * quota) / 1000));
  return { reservedConcurrency, ...proportions, ...(workers > workerConcurrency ? { workerConcurrency } : {}) };
}
