import { Duration, RemovalPolicy, Tags } from "aws-cdk-lib";
import {
  AccessLogField,
  AccessLogFormat,
  EndpointType,
  type GatewayResponseOptions,
  type IResource,
  LambdaIntegration,
  LogGroupLogDestination,
  ResponseTransferMode,
  ResponseType,
  RestApi,
} from "aws-cdk-lib/aws-apigateway";
import { type IMetric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { FilterPattern, LogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { METRIC_NAMESPACE } from "../../contract/deployment/metrics.ts";
import { answers } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { ROUTES_PREFIX, type RouteFunction } from "../../contract/route.ts";
import { routes } from "../../contract/routes/routes.ts";
import { type StackConfig, setsLogRole } from "../config.ts";
import { acknowledge } from "../observability/nag.ts";
import { CATCH_ALL, claimsOf, functionAt, isSingleAddress, ownerOf, segmentsOf } from "./resources.ts";

export const STAGE = "prod";

/** The timeout of a streamed integration, which ends when its function does. Without it a stream ends after 29 s, the default of every integration. */
const STREAM_TIMEOUT = Duration.millis(limits.streamMs + limits.streamGraceMs);

const busy = { status: String(answers["engine.busy"].status), code: "engine.busy", sentence: answers["engine.busy"].describe({}) };

/**
 * The responses of API Gateway itself, in the form of this API: one sentence in plain text and a code in `x-svc-error`, never HTML or JSON.
 */
const gatewayAnswers: readonly [ResponseType, { status: string; code: string; sentence: string }][] = [
  [
    ResponseType.DEFAULT_4XX,
    { status: "400", code: "gateway.badRequest", sentence: "The request is malformed and did not reach the service." },
  ],
  [ResponseType.DEFAULT_5XX, { status: "502", code: "gateway.failed", sentence: "The service did not respond. Try again." }],
  [ResponseType.REQUEST_TOO_LARGE, { status: "413", code: "body.tooLarge", sentence: "The body is larger than the limit of 4 MB." }],
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, { status: "404", code: "route.unknown", sentence: "There is no route with this address." }],
  [ResponseType.RESOURCE_NOT_FOUND, { status: "404", code: "route.unknown", sentence: "There is no route with this address." }],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, { status: "415", code: "gateway.mediaType", sentence: "This content type is not supported." }],
  [ResponseType.THROTTLED, busy],
  [ResponseType.QUOTA_EXCEEDED, busy],
  [
    ResponseType.INTEGRATION_TIMEOUT,
    { status: "504", code: "gateway.timeout", sentence: "The service did not respond in time. The request may still take effect." },
  ],
  [ResponseType.INTEGRATION_FAILURE, { status: "502", code: "gateway.failed", sentence: "The service did not respond. Try again." }],
];

/** The REST API. Which function answers an address follows from the routes of the contract; `web` answers what none of them claims. */
export class Api extends Construct {
  readonly api: RestApi;
  readonly accessLog: LogGroup;
  private readonly config: StackConfig;

  constructor(scope: Construct, id: string, config: StackConfig) {
    super(scope, id);
    this.config = config;
    this.accessLog = new LogGroup(this, "AccessLog", { retention: config.logRetentionDays, removalPolicy: RemovalPolicy.DESTROY });
    this.api = new RestApi(this, "Rest", {
      restApiName: config.stackName,
      endpointTypes: [EndpointType.REGIONAL],
      // Bodies reach the functions byte for byte.
      binaryMediaTypes: ["*/*"],
      // A setting of the whole region that writing any access log needs.
      cloudWatchRole: setsLogRole(config),
      ...(setsLogRole(config) ? { cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN } : {}),
      deployOptions: {
        stageName: STAGE,
        accessLogDestination: new LogGroupLogDestination(this.accessLog),
        // The resource, without path and query string, because both can contain a token. The function's log line has the rest, by request
        // id.
        accessLogFormat: AccessLogFormat.custom(
          JSON.stringify({
            requestId: AccessLogField.contextRequestId(),
            time: AccessLogField.contextRequestTimeEpoch(),
            // Behind CloudFront it is the address of CloudFront. The function's log line contains the client's, in the form of the same
            // setting.
            ...(config.clientAddresses === "full" ? { ip: AccessLogField.contextIdentitySourceIp() } : {}),
            method: AccessLogField.contextHttpMethod(),
            resource: AccessLogField.contextResourcePath(),
            status: AccessLogField.contextStatus(),
            bytes: AccessLogField.contextResponseLength(),
            latencyMs: AccessLogField.contextResponseLatency(),
            functionMs: AccessLogField.contextIntegrationLatency(),
            error: AccessLogField.contextErrorMessage(),
          }),
        ),
        metricsEnabled: false,
        throttlingRateLimit: 1000,
        throttlingBurstLimit: 2000,
      },
    });
    // MiniStack and LocalStack make it the API's id, so that its address is known before it is deployed.
    for (const tag of ["ms-custom-id", "_custom_id_"]) Tags.of(this.api).add(tag, "svc");
    for (const [type, answer] of gatewayAnswers) this.api.addGatewayResponse(type.responseType, gatewayResponse(type, answer));

    acknowledge(
      this.api,
      "AwsSolutions-APIG2",
      "The functions validate requests with the schemas of the contract, which report each fault with its path.",
    );
    acknowledge(
      this.api,
      "AwsSolutions-APIG3",
      "A web ACL costs $5 a month and a share of every request; the owner may attach one, docs/aws.md.",
    );
    acknowledge(this.api, "AwsSolutions-APIG4", "The functions check tokens. An authorizer would add one invocation to each request.");
    acknowledge(this.api, "AwsSolutions-COG4", "The service issues its own tokens; they are not tokens of the user pool.");
    acknowledge(this.api, "AwsSolutions-APIG6", "Execution logs would contain query strings and bodies, which can contain tokens.");
    acknowledge(
      this.api,
      "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]",
      "The account-wide role that API Gateway prescribes for writing logs.",
    );
  }

  /**
   * Counts the requests that API Gateway itself refused with 429. Its metric `4XXError` counts every 4xx, and a limit of the service itself
   * does not concern the operator. Only API Gateway can write the access log.
   */
  countThrottledRequests(): IMetric {
    const filter = new MetricFilter(this, "Throttled", {
      logGroup: this.accessLog,
      // A request that reached no function has no integration time.
      filterPattern: FilterPattern.all(
        FilterPattern.stringValue("$.status", "=", "429"),
        FilterPattern.stringValue("$.functionMs", "=", "-"),
      ),
      // The namespace of two stages in one account differs, because a filter cannot add their name as a dimension.
      metricNamespace: `${METRIC_NAMESPACE}/${this.config.stackName}`,
      metricName: "ApiThrottles",
    });
    return filter.metric({ period: Duration.minutes(1), statistic: Stats.SUM });
  }

  /**
   * Assigns every address its function, which also answers unknown addresses below it. An address that is only the beginning of others has
   * no method, because each method counts towards CloudFormation's limit of 500 resources: a request there reaches the catch-all method of
   * the address above it.
   */
  route(functions: Readonly<Record<RouteFunction, LambdaFunction>>): void {
    const integrations = new Map<LambdaFunction, LambdaIntegration>();
    const answer = (resource: IResource, fn: LambdaFunction): void => {
      // One permission per function: one per method would exceed the limit of a function's policy.
      const integration =
        integrations.get(fn) ??
        new LambdaIntegration(fn, {
          scopePermissionToMethod: false,
          // The local engine's gateway cannot; there the front server answers these routes.
          ...((fn === functions.stream || fn === functions.routes) && !this.config.local
            ? { responseTransferMode: ResponseTransferMode.STREAM, timeout: STREAM_TIMEOUT }
            : {}),
        });
      integrations.set(fn, integration);
      if (!resource.node.tryFindChild("ANY")) resource.addMethod("ANY", integration);
    };
    const answerBelow = (resource: IResource, fn: LambdaFunction): void => {
      const taken = resource.node.children.some((child) => child.node.id.startsWith("{"));
      if (!taken) answer(resource.addResource("{proxy+}"), fn);
    };

    // On AWS runners reach `beat` at the URL of the function only. The local engine has no such URLs.
    const answeredHere = Object.values(routes).filter(({ fn }) => fn !== "beat" || this.config.local);
    const claims = claimsOf(answeredHere).set(ROUTES_PREFIX, "routes");
    const answered = new Map<IResource, RouteFunction>([[this.api.root, CATCH_ALL]]);
    for (const prefix of claims.keys()) {
      const segments = segmentsOf(prefix);
      let resource: IResource = this.api.root;
      for (const [index, segment] of segments.entries()) {
        resource = resource.getResource(segment) ?? resource.addResource(segment);
        answered.set(resource, ownerOf(claims, segments.slice(0, index + 1)));
      }
    }
    // All resources are created before the first catch-all method: API Gateway allows only one parameter below an address.
    for (const [resource, fn] of answered) {
      // Function `routes` answers its prefix as well, because its 404 is sandboxed.
      const answering = resource.path === ROUTES_PREFIX ? fn : functionAt(Object.values(routes), resource.path);
      if (answering) answer(resource, functions[answering]);
      // The address of a single route has nothing below it. Requests there reach the catch-all method of the address above it.
      if (!isSingleAddress(Object.values(routes), resource.path)) answerBelow(resource, functions[fn]);
    }
  }
}

function gatewayResponse(
  type: ResponseType,
  { status, code, sentence }: { status: string; code: string; sentence: string },
): GatewayResponseOptions {
  const isDefault = type === ResponseType.DEFAULT_4XX || type === ResponseType.DEFAULT_5XX;
  return {
    type,
    // A default answers for many statuses: each keeps its own.
    ...(isDefault ? {} : { statusCode: status }),
    responseHeaders: {
      "content-type": "'text/plain; charset=utf-8'",
      "x-svc-error": `'${code}'`,
      "cache-control": "'no-store'",
      // Those below /api/r too are never rendered in the origin of the console.
      "content-security-policy": "'sandbox'",
      ...(status === "429" ? { "retry-after": "'1'" } : {}),
    },
    // API Gateway selects the template by the Accept header if it can: every template contains the sentence.
    templates: { "text/plain": sentence, "application/json": sentence },
  };
}
