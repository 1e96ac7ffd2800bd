import { Aws, Duration, Fn, Stack } from "aws-cdk-lib";
import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Function as CloudFrontFunction,
  Distribution,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  PriceClass,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from "aws-cdk-lib/aws-cloudfront";
import { HttpOrigin, S3BucketOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from "aws-cdk-lib/aws-route53";
import { CloudFrontTarget } from "aws-cdk-lib/aws-route53-targets";
import type { IBucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { edgeErrorTtlS } from "../../contract/deployment/edge-errors.ts";
import { EDGE_CODE, UPLOAD_PREFIX } from "../../contract/deployment/edge-function.ts";
import { RESTORES_HEADER } from "../../contract/deployment/gateway-headers.ts";
import { ROUTES_PREFIX } from "../../contract/route.ts";
import type { DomainConfig, StackConfig } from "../config.ts";
import { acknowledge } from "../observability/nag.ts";
import { STAGE } from "./api.ts";
import type { EdgeKeys } from "./edge-keys.ts";

/** The behaviour of a distribution that passes every request on to the API and caches nothing. `customHeaders`: CloudFront replaces those that a caller sends. */
function passOn(scope: Construct, api: RestApi, customHeaders: Record<string, string>): BehaviorOptions {
  const { region, urlSuffix } = Stack.of(scope);
  return {
    // Not RestApiOrigin: it reads the stage, which waits for the functions, which need this distribution's address.
    origin: new HttpOrigin(`${api.restApiId}.execute-api.${region}.${urlSuffix}`, {
      originPath: `/${STAGE}`,
      protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
      originSslProtocols: [OriginSslPolicy.TLS_V1_2],
      customHeaders,
      // Above API Gateway's own limit, so that its answer arrives instead of CloudFront's page. It counts from each part of a response
      // to the next: a stream sends a ping more often. A limit for the whole response does not exist unless it is set.
      readTimeout: Duration.seconds(60),
      keepaliveTimeout: Duration.seconds(60),
    }),
    viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
    allowedMethods: AllowedMethods.ALLOW_ALL,
    cachePolicy: CachePolicy.CACHING_DISABLED,
    // API Gateway refuses a Host that is not its own.
    originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
    // Compression would hold back server-sent events until a block is full.
    compress: false,
  };
}

/** The name of a CloudFront function, which is unique in the account and not only in the region. */
const nameInAccount = (name: string): string => Fn.join("-", [Aws.REGION, name]);

const addEdgeFunction = (scope: Construct, name: string): CloudFrontFunction =>
  new CloudFrontFunction(scope, "RestoreHeaders", {
    functionName: nameInAccount(name),
    code: FunctionCode.fromInline(EDGE_CODE),
    runtime: FunctionRuntime.JS_2_0,
    comment: "svc: headers that API Gateway renames, and uploads",
  });

/** The behaviour of a distribution for HTTP routes: it also restores the headers that API Gateway renames, such as the challenge of a route with a password. */
const passRoutesOn = (scope: Construct, api: RestApi, { fn, headers }: { fn: CloudFrontFunction; headers: Record<string, string> }) => ({
  ...passOn(scope, api, { ...headers, [RESTORES_HEADER]: "1" }),
  functionAssociations: [{ function: fn, eventType: FunctionEventType.VIEWER_RESPONSE }],
});

/**
 * The behaviour of a distribution for uploads to the bucket. CloudFront signs nothing and has no rights there: S3 verifies the signature of the
 * presigned URL, which covers the bucket's own Host, the path after the prefix and the query.
 */
const passUploadsOn = (bucket: IBucket, fn: CloudFrontFunction): BehaviorOptions => ({
  origin: S3BucketOrigin.withBucketDefaults(bucket),
  viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
  // No smaller set of CloudFront contains PUT. The function refuses the others.
  allowedMethods: AllowedMethods.ALLOW_ALL,
  cachePolicy: CachePolicy.CACHING_DISABLED,
  originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
  compress: false,
  functionAssociations: [{ function: fn, eventType: FunctionEventType.VIEWER_REQUEST }],
});

/** The properties that all distributions of the stack share. */
function distributionProps(scope: Construct, domain: DomainConfig | undefined) {
  return {
    httpVersion: HttpVersion.HTTP2_AND_3,
    priceClass: PriceClass.PRICE_CLASS_ALL,
    enableLogging: false,
    errorResponses: Object.entries(edgeErrorTtlS).map(([status, ttlS]) => ({ httpStatus: Number(status), ttl: Duration.seconds(ttlS) })),
    ...(domain
      ? {
          minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
          domainNames: [domain.name],
          certificate: Certificate.fromCertificateArn(scope, "Certificate", domain.certificateArn),
        }
      : {}),
  };
}

function addRecords(scope: Construct, distribution: Distribution, { name, hostedZoneId }: DomainConfig): void {
  if (!hostedZoneId) return;
  const zone = HostedZone.fromHostedZoneAttributes(scope, "Zone", { hostedZoneId, zoneName: name });
  const target = RecordTarget.fromAlias(new CloudFrontTarget(distribution));
  new ARecord(scope, "A", { zone, target });
  new AaaaRecord(scope, "Aaaa", { zone, target });
}

function acknowledgeRules(distribution: Distribution): void {
  acknowledge(distribution, "AwsSolutions-CFR1", "The owner decides which countries may send requests.");
  acknowledge(
    distribution,
    "AwsSolutions-CFR2",
    "A web ACL costs $5 a month and a share of every request; the owner may attach one, docs/aws.md.",
  );
  acknowledge(
    distribution,
    "AwsSolutions-CFR3",
    "CloudFront's logs contain query strings, which can contain a token. API Gateway's access log contains every request.",
  );
}

/** The API behind a distribution, and the keys that it requires. */
interface EdgeOrigin {
  readonly api: RestApi;
  readonly keys: EdgeKeys;
  /** The bucket to which browsers upload files. */
  readonly bucket: IBucket;
}

/** The bare origin that people and programs see: API Gateway's own address has a stage in its path and cannot omit it. Caches nothing. */
export class Edge extends Construct {
  /** Public origin, no trailing slash. */
  readonly url: string;
  /** The origin that CloudFront gives the distribution, which needs no records. */
  readonly origin: string;

  constructor(scope: Construct, id: string, config: StackConfig, { api, keys, bucket }: EdgeOrigin) {
    super(scope, id);
    const domain = config.customDomain;
    const headers = keys.headers({ ofRoutes: false });
    const fn = addEdgeFunction(this, `${config.stackName}-headers`);
    const distribution = new Distribution(this, "Distribution", {
      comment: "svc",
      defaultBehavior: passOn(this, api, headers),
      additionalBehaviors: {
        // With a separate domain, routes answer only there.
        ...(config.routesDomain ? {} : { [`${ROUTES_PREFIX}/*`]: passRoutesOn(this, api, { fn, headers }) }),
        [`${UPLOAD_PREFIX}/*`]: passUploadsOn(bucket, fn),
      },
      ...distributionProps(this, domain),
    });
    this.origin = `https://${distribution.distributionDomainName}`;
    this.url = config.baseUrl ?? (domain ? `https://${domain.name}` : this.origin);
    if (domain) addRecords(this, distribution, domain);
    acknowledgeRules(distribution);
    acknowledge(
      distribution,
      "AwsSolutions-CFR7",
      "Only presigned URLs reach the bucket through CloudFront, which must have no rights to it.",
    );
    if (!domain)
      acknowledge(distribution, "AwsSolutions-CFR4", "Without a custom domain, CloudFront's own certificate determines the protocol.");
  }
}

/** Answers every address except those of HTTP routes itself, so that neither the API nor the console exists at this origin. */
const ONLY_ROUTES = `function handler(event) {
  var path = event.request.uri;
  if (path.indexOf('/api/r/') === 0 && !/(^|\\/)(\\.|%2e){1,2}(\\/|$)/i.test(path)) return event.request;
  return {
    statusCode: 404,
    headers: { 'content-type': { value: 'text/plain; charset=utf-8' } },
    body: 'There is no route with this address.',
  };
}`;

/** The origin of HTTP routes, if they have a separate domain: their pages cannot reach the session of a user of the console. */
export class RoutesEdge extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { stackName, domain }: { stackName: string; domain: DomainConfig },
    { api, keys }: Omit<EdgeOrigin, "bucket">,
  ) {
    super(scope, id);
    const onlyRoutes = new CloudFrontFunction(this, "OnlyRoutes", {
      code: FunctionCode.fromInline(ONLY_ROUTES),
      runtime: FunctionRuntime.JS_2_0,
      functionName: nameInAccount(`${stackName}-only-routes`),
      comment: "svc: only HTTP routes answer at their domain",
    });
    const fn = addEdgeFunction(this, `${stackName}-headers-of-routes`);
    const restoring = passRoutesOn(this, api, { fn, headers: keys.headers({ ofRoutes: true }) });
    const distribution = new Distribution(this, "Distribution", {
      comment: "svc: HTTP routes",
      defaultBehavior: {
        ...restoring,
        functionAssociations: [...restoring.functionAssociations, { function: onlyRoutes, eventType: FunctionEventType.VIEWER_REQUEST }],
      },
      ...distributionProps(this, domain),
    });
    addRecords(this, distribution, domain);
    acknowledgeRules(distribution);
  }
}
