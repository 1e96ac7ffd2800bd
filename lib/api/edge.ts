import { Duration, Fn, Stack } from "aws-cdk-lib";
import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  PriceClass,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from "aws-cdk-lib/aws-cloudfront";
import { HttpOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from "aws-cdk-lib/aws-route53";
import { CloudFrontTarget } from "aws-cdk-lib/aws-route53-targets";
import { Construct } from "constructs";
import { EDGE_KEY_HEADER } from "../../contract/env.ts";
import type { StackConfig } from "../config.ts";
import { acknowledge } from "../observability/nag.ts";
import { STAGE } from "./api.ts";

/**
 * Returns the key with which CloudFront shows that a request came through it: the UUID of the stack's id. Callers cannot see it, and a person
 * with access to the account gains only a free choice of the address that sign-ins are counted for.
 */
export const edgeKey = (scope: Construct): string => Fn.select(2, Fn.split("/", Stack.of(scope).stackId));

/** The bare origin that people and programs see: API Gateway's own address has a stage in its path and cannot do without. Caches nothing. */
export class Edge extends Construct {
  /** Public origin, no trailing slash. */
  readonly url: string;

  constructor(scope: Construct, id: string, config: StackConfig, api: RestApi) {
    super(scope, id);
    const { region, urlSuffix } = Stack.of(this);
    const domain = config.customDomain;
    const distribution = new Distribution(this, "Distribution", {
      comment: "svc",
      defaultBehavior: {
        // Not RestApiOrigin: it reads the stage, which waits for the functions, which need this distribution's address.
        origin: new HttpOrigin(`${api.restApiId}.execute-api.${region}.${urlSuffix}`, {
          originPath: `/${STAGE}`,
          protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
          originSslProtocols: [OriginSslPolicy.TLS_V1_2],
          // CloudFront replaces a header of this name that a caller sends.
          customHeaders: { [EDGE_KEY_HEADER]: edgeKey(this) },
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
      },
      httpVersion: HttpVersion.HTTP2_AND_3,
      priceClass: PriceClass.PRICE_CLASS_ALL,
      enableLogging: false,
      ...(domain
        ? {
            minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
            domainNames: [domain.name],
            certificate: Certificate.fromCertificateArn(this, "Certificate", domain.certificateArn),
          }
        : {}),
    });
    this.url = config.baseUrl ?? `https://${domain?.name ?? distribution.distributionDomainName}`;
    if (domain?.hostedZoneId) this.record(distribution, domain.name, domain.hostedZoneId);

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
    if (!domain)
      acknowledge(distribution, "AwsSolutions-CFR4", "Without a custom domain, CloudFront's own certificate determines the protocol.");
  }

  private record(distribution: Distribution, recordName: string, hostedZoneId: string): void {
    const zone = HostedZone.fromHostedZoneAttributes(this, "Zone", { hostedZoneId, zoneName: recordName });
    const target = RecordTarget.fromAlias(new CloudFrontTarget(distribution));
    new ARecord(this, "A", { zone, target });
    new AaaaRecord(this, "Aaaa", { zone, target });
  }
}
