import { describe, expect, it } from "vitest";
import { env } from "../../contract/env.ts";
import { parseConfig } from "../config.ts";
import { aStack } from "../stack-fixture.ts";

const certificateArn = "arn:aws:acm:eu-west-1:111111111111:certificate/abc";

/** The values of a variable in all functions that have it. */
const valuesOf = ({ template }: Pick<ReturnType<typeof aStack>, "template">, name: string) =>
  Object.values(template.findResources("AWS::Lambda::Function")).flatMap(
    ({ Properties }) => Properties.Environment?.Variables?.[name] ?? [],
  );

describe("a deployment without CloudFront", () => {
  const stack = aStack({ edge: false });

  it("has API Gateway's address with its stage, which functions return to callers, and no part of CloudFront", () => {
    const { template } = stack;
    expect(JSON.stringify(template.toJSON().Resources)).not.toMatch(/cloudfront/i);
    const [api] = Object.keys(template.findResources("AWS::ApiGateway::RestApi"));
    const parts = ["https://", { Ref: api }, ".execute-api.", { Ref: "AWS::Region" }, ".", { Ref: "AWS::URLSuffix" }, "/prod"];
    const url = { "Fn::Join": ["", parts] };
    template.hasOutput("Url", { Value: url });
    const handedOut = valuesOf(stack, env.baseUrl);
    expect(handedOut.length).toBeGreaterThan(5);
    for (const value of handedOut) expect(value).toEqual(url);
    // Nothing there passes an upload on to the bucket.
    expect(valuesOf(stack, env.uploadsUrl)).toEqual([]);
    expect(stack.findings).toEqual([]);
  });

  it("does not treat any caller as CloudFront", () => {
    const inFront = aStack();
    // Each function that would recognise CloudFront by its key.
    const knowing = valuesOf(inFront, env.edgeKeys);
    expect(knowing.length).toBeGreaterThan(0);
    expect([valuesOf(stack, env.edgeKeys), valuesOf(stack, env.callsGateway)]).toEqual([[], knowing.map(() => "on")]);
    expect(valuesOf(inFront, env.callsGateway)).toEqual([]);
  });

  it("answers at the root of a domain of the region, with its records and TLS 1.2", () => {
    const { template, findings } = aStack({ edge: false, customDomain: { name: "svc.example.com", certificateArn, hostedZoneId: "Z1" } });
    template.hasResourceProperties("AWS::ApiGateway::DomainName", {
      DomainName: "svc.example.com",
      RegionalCertificateArn: certificateArn,
      EndpointConfiguration: { Types: ["REGIONAL"] },
      SecurityPolicy: "TLS_1_2",
    });
    const [domain] = Object.keys(template.findResources("AWS::ApiGateway::DomainName"));
    const [mapping] = Object.values(template.findResources("AWS::ApiGateway::BasePathMapping"));
    expect([mapping?.Properties.DomainName, mapping?.Properties.BasePath]).toEqual([{ Ref: domain }, undefined]);
    for (const type of ["A", "AAAA"]) {
      template.hasResourceProperties("AWS::Route53::RecordSet", {
        ...{ Name: "svc.example.com.", Type: type, HostedZoneId: "Z1" },
        AliasTarget: { DNSName: { "Fn::GetAtt": [domain, "RegionalDomainName"] } },
      });
    }
    template.hasOutput("Url", { Value: "https://svc.example.com" });
    expect(findings).toEqual([]);
  });

  it("has no domain of HTTP routes, which only CloudFront can limit to their addresses", () => {
    const routesDomain = { name: "routes.example.com", certificateArn };
    expect(() => parseConfig({ edge: false, routesDomain })).toThrow("svc.routesDomain needs CloudFront");
  });
});

describe("a certificate", () => {
  it("of CloudFront is in us-east-1, for each of the two domains", () => {
    const domain = { name: "svc.example.com", certificateArn };
    for (const given of [{ customDomain: domain }, { routesDomain: domain }]) {
      expect(() => parseConfig(given)).toThrow("CloudFront reads certificates in us-east-1 only. Request one for svc.example.com there.");
    }
    expect(parseConfig({ edge: false, customDomain: domain }).customDomain).toEqual(domain);
  });
});
