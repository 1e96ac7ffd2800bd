import { Stack } from "aws-cdk-lib";
import { DomainName, EndpointType, type RestApi, SecurityPolicy } from "aws-cdk-lib/aws-apigateway";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from "aws-cdk-lib/aws-route53";
import { ApiGatewayDomain } from "aws-cdk-lib/aws-route53-targets";
import { Construct } from "constructs";
import type { StackConfig } from "../config.ts";
import { STAGE } from "./api.ts";

/** The origin of a deployment without CloudFront: a custom domain of the region, or API Gateway's own address, whose path begins with the stage. */
export class RegionalOrigin extends Construct {
  /** Public address, no trailing slash. */
  readonly url: string;
  /** API Gateway's own address, which needs no records. */
  readonly origin: string;

  constructor(scope: Construct, id: string, { baseUrl, customDomain }: StackConfig, api: RestApi) {
    super(scope, id);
    const { region, urlSuffix } = Stack.of(this);
    // Not the URL of the stage: it waits for the functions, which need this address.
    this.origin = `https://${api.restApiId}.execute-api.${region}.${urlSuffix}/${STAGE}`;
    this.url = baseUrl ?? (customDomain ? `https://${customDomain.name}` : this.origin);
    if (!customDomain) return;
    const { name, certificateArn, hostedZoneId } = customDomain;
    const domain = new DomainName(this, "Domain", {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, "Certificate", certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    domain.addBasePathMapping(api, { stage: api.deploymentStage });
    if (!hostedZoneId) return;
    const zone = HostedZone.fromHostedZoneAttributes(this, "Zone", { hostedZoneId, zoneName: name });
    const target = RecordTarget.fromAlias(new ApiGatewayDomain(domain));
    new ARecord(this, "A", { zone, target });
    new AaaaRecord(this, "Aaaa", { zone, target });
  }
}
