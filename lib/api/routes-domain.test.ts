import { runInNewContext } from "node:vm";
import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { RESTORES_HEADER } from "../../contract/deployment/gateway-headers.ts";
import { env, ROUTES_KEY_HEADER } from "../../contract/env.ts";
import { aStack } from "../stack-fixture.ts";
import { aws } from "../stack-rights.ts";

const name = "routes.example.com";
const { template, findings } = aStack({
  routesDomain: { name, certificateArn: "arn:aws:acm:us-east-1:111111111111:certificate/abc", hostedZoneId: "Z1" },
});
const variablesOf = (description: string) =>
  Object.values(template.findResources("AWS::Lambda::Function")).find(({ Properties }) => Properties.Description === description)
    ?.Properties.Environment.Variables as Record<string, unknown>;

describe("a domain of HTTP routes", () => {
  it("has its own distribution, with its record and a key that function routes knows", () => {
    const key = { "Fn::Join": ["", [{ "Fn::Select": [2, { "Fn::Split": ["/", { Ref: "AWS::StackId" }] }] }, "-routes"]] };
    template.resourceCountIs("AWS::CloudFront::Distribution", 2);
    template.hasResourceProperties("AWS::CloudFront::Distribution", {
      DistributionConfig: Match.objectLike({
        Aliases: [name],
        Origins: [Match.objectLike({ OriginCustomHeaders: Match.arrayWith([{ HeaderName: ROUTES_KEY_HEADER, HeaderValue: key }]) })],
        DefaultCacheBehavior: Match.objectLike({
          FunctionAssociations: [Match.objectLike({ EventType: "viewer-response" }), Match.objectLike({ EventType: "viewer-request" })],
        }),
        ViewerCertificate: Match.objectLike({ MinimumProtocolVersion: "TLSv1.2_2021" }),
      }),
    });
    template.hasResourceProperties("AWS::Route53::RecordSet", { Name: `${name}.`, Type: "A", HostedZoneId: "Z1" });
    expect(variablesOf("svc: requests to HTTP routes")[env.routesKey]).toEqual(key);
    expect(variablesOf("svc: workspaces, users and permissions")[env.routesUrl]).toBe(`https://${name}`);
    expect(findings).toEqual([]);
    // Only that distribution sends the key.
    const sending = Object.values(template.findResources("AWS::CloudFront::Distribution")).filter((one) =>
      JSON.stringify(one).includes(ROUTES_KEY_HEADER),
    );
    expect(sending).toHaveLength(1);
    // Only this distribution restores headers: the other one has no routes.
    const restoring = Object.values(template.findResources("AWS::CloudFront::Distribution")).filter((one) =>
      JSON.stringify(one).includes(RESTORES_HEADER),
    );
    expect(restoring).toEqual(sending);
  });

  it("stores no error at its edge, and neither does the other distribution", () => {
    // All statuses that a distribution can set.
    const statuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
    const distributions = Object.values(template.findResources("AWS::CloudFront::Distribution"));
    const expected = statuses.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 }));
    expect(distributions.map(({ Properties }) => Properties.DistributionConfig.CustomErrorResponses)).toEqual([expected, expected]);
  });

  it("forwards only the addresses of routes", () => {
    const isOnlyRoutes = Match.stringLikeRegexp("There is no route");
    const [resource] = Object.values(template.findResources("AWS::CloudFront::Function", { Properties: { FunctionCode: isOnlyRoutes } }));
    const handle = (uri: string) =>
      runInNewContext(`${resource?.Properties.FunctionCode}; handler({ request: { uri: ${JSON.stringify(uri)} } })`) as {
        statusCode?: number;
      };
    for (const uri of ["/api/r/shop/orders/7", "/api/r/", "/api/r/a..b/.well-known"]) expect(handle(uri).statusCode).toBeUndefined();
    for (const uri of [
      "/",
      "/docs",
      "/api/users/whoami",
      "/api/r",
      "/API/r/a",
      "//api/r/a",
      "/api/%72/a",
      "/api/r/../users/whoami",
      "/api/r/%2e%2E/users/whoami",
      "/api/r/a/..",
    ])
      expect([uri, handle(uri).statusCode]).toEqual([uri, 404]);
  });

  it("does not exist by default", () => {
    aws.resourceCountIs("AWS::CloudFront::Distribution", 1);
    aws.resourceCountIs("AWS::CloudFront::Function", 1);
  });
});
