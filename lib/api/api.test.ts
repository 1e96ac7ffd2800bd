import { Match, type Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { EDGE_CODE } from "../../contract/deployment/edge-function.ts";
import { RESTORES_HEADER } from "../../contract/deployment/gateway-headers.ts";
import { EDGE_KEY_HEADER, env } from "../../contract/env.ts";
import { limits } from "../../contract/limits.ts";
import { ROUTES_PREFIX } from "../../contract/route.ts";
import { routes } from "../../contract/routes/routes.ts";
import { aStack } from "../stack-fixture.ts";
import { descriptions, fn } from "../stack-rights.ts";
import { functionAt, prefixesOf, segmentsOf } from "./resources.ts";

const { template } = aStack();

/** The path of each resource with its function, read from the template. */
function addresses(from: Template): Map<string, string> {
  const resources = from.findResources("AWS::ApiGateway::Resource");
  const pathOf = (id: string): string => {
    const found = resources[id]?.Properties;
    return found ? `${pathOf(found.ParentId.Ref ?? "")}/${found.PathPart}` : "";
  };
  return new Map(
    Object.values(from.findResources("AWS::ApiGateway::Method")).map(({ Properties }) => {
      expect(Properties.HttpMethod).toBe("ANY");
      const fn = /"([A-Za-z]+?)Fn[0-9A-F]{8}","Arn"/.exec(JSON.stringify(Properties.Integration.Uri))?.[1] ?? "?";
      return [pathOf(Properties.ResourceId.Ref ?? "") || "/", fn.replace(/Api$/, "").toLowerCase() || "api"];
    }),
  );
}

/** API Gateway's choice: the longest match, with literals before parameters before the rest. */
function answering(table: ReadonlyMap<string, string>, path: string): string | undefined {
  const ways = [...table.keys()].filter((resource) => {
    const pattern = segmentsOf(resource).map((part) =>
      part === "{proxy+}" ? ".+" : part.startsWith("{") ? "[^/]+" : part.replaceAll(".", "\\."),
    );
    return new RegExp(`^/${pattern.join("/")}$`).test(path);
  });
  const rank = (resource: string) =>
    segmentsOf(resource)
      .map((part) => (part === "{proxy+}" ? "c" : part.startsWith("{") ? "b" : "a"))
      .join("");
  const [best] = ways.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  return best === undefined ? undefined : table.get(best);
}

describe("the REST API", () => {
  const table = addresses(template);

  // Runners reach `beat` at the URL of the function.
  const reached = Object.values(routes).filter((route) => route.fn !== "beat");
  it.each(reached.map(({ method, path, fn }) => [`${method} ${path}`, path, fn] as const))("sends %s to its function", (_, path, fn) => {
    const example = path.replace(/\{\w+\+\}/, "f/ops/hello").replaceAll(/\{\w+\}/g, "x1");
    expect(answering(table, example)).toBe(fn);
  });

  it.each([
    ["/", "api"],
    ["/api", "web"],
    ["/robots.txt", "web"],
    ["/api/nothing", "people"],
    ["/api/internal/jobs/x1/beat", "people"],
    ["/api/health/nothing", "api"],
    ["/api/w", "people"],
    ["/api/w/demo", "people"],
    ["/api/w/demo/nothing/here", "people"],
    ["/api/w/demo/workspaces/nothing", "people"],
    ["/api/w/demo/workspaces/tarball/nothing", "people"],
    ["/api/w/demo/jobs", "people"],
    ["/api/w/demo/jobs/nothing", "jobs"],
    ["/api/w/demo/jobs/flow/nothing", "jobs"],
    ["/api/w/demo/scripts/nothing", "objects"],
    ["/api/w/demo/schedules/nothing", "triggers"],
    ["/api/r", "routes"],
    ["/api/r/shop/orders/7", "routes"],
  ])("sends %s, which no route claims, to the function that it belongs to, %s", (path, fn) => {
    expect(answering(table, path)).toBe(fn);
  });

  it("sends the other spelling of the routes of jobs to jobs", () => {
    for (const path of ["/api/w/demo/job_u/get/x1", "/api/w/demo/job_u/queue/cancel/x1", "/api/w/demo/job_u/completed/get_result/x1"]) {
      expect(answering(table, path)).toBe("jobs");
    }
  });

  it("has no method at path prefixes that are not addresses themselves", () => {
    const beginnings = [...table.keys()].filter((path) => !path.endsWith("{proxy+}") && !functionAt(Object.values(routes), path));
    expect(beginnings).toEqual([ROUTES_PREFIX]);
  });

  it("answers addresses without others below them by one resource", () => {
    expect([...table.keys()].filter((path) => path.startsWith("/api/openapi.json"))).toEqual(["/api/openapi.json"]);
  });

  it("needs one resource for each path prefix that belongs to one function", () => {
    expect(prefixesOf(Object.values(routes), "run")).toEqual([
      "/api/w/{workspace}/jobs/restart",
      "/api/w/{workspace}/jobs/run",
      "/api/w/{workspace}/jobs/run_inline",
      "/api/w/{workspace}/jobs/run_wait_result",
    ]);
    expect(prefixesOf(Object.values(routes), "beat")).toEqual(["/api/internal"]);
    expect(prefixesOf(Object.values(routes), "jobs")).toEqual([
      "/api/share",
      "/api/w/{workspace}/flows/get_cost",
      "/api/w/{workspace}/inputs",
      "/api/w/{workspace}/job_metrics",
      "/api/w/{workspace}/job_u",
      "/api/w/{workspace}/jobs",
      "/api/w/{workspace}/jobs_u",
      "/api/w/{workspace}/scripts/get_cost",
    ]);
    expect(prefixesOf(Object.values(routes), "people")).toEqual(["/.well-known", "/api"]);
    expect(prefixesOf(Object.values(routes), "objects")).toContain("/api/w/{workspace}/workspaces/encryption_key");
  });

  it("refuses routes that it could not distinguish", () => {
    const clash = [
      { path: "/api/jobs", fn: "run" },
      { path: "/api/jobs/list", fn: "api" },
    ] as const;
    expect(() => prefixesOf(clash, "run")).toThrow("/api/jobs of function run");
  });

  it("is regional, passes bodies byte for byte and is bounded", () => {
    template.hasResourceProperties("AWS::ApiGateway::RestApi", {
      EndpointConfiguration: { Types: ["REGIONAL"] },
      BinaryMediaTypes: ["*/*"],
      Tags: Match.arrayWith([{ Key: "ms-custom-id", Value: "svc" }]),
    });
    template.hasResourceProperties("AWS::ApiGateway::Stage", {
      StageName: "prod",
      MethodSettings: [Match.objectLike({ ThrottlingRateLimit: 1000, ThrottlingBurstLimit: 2000, DataTraceEnabled: false })],
    });
  });

  it("streams the answers of the functions stream and routes, and of no other; locally the front server does that", () => {
    const streaming = (from: Template) =>
      Object.values(from.findResources("AWS::ApiGateway::Method")).filter(
        ({ Properties }) => Properties.Integration.ResponseTransferMode === "STREAM",
      );
    expect(streaming(template).length).toBeGreaterThan(0);
    expect(streaming(template).every(({ Properties }) => /(Stream|Routes)Fn/.test(JSON.stringify(Properties.Integration.Uri)))).toBe(true);
    const timeouts = new Set(streaming(template).map(({ Properties }) => Properties.Integration.TimeoutInMillis));
    expect([...timeouts]).toEqual([limits.streamMs + limits.streamGraceMs]);
    expect(streaming(aStack({ local: true, baseUrl: "http://127.0.0.1:1" }).template)).toEqual([]);
  });

  it("does not end a stream before the service does, and the function lives at most 30 s longer, because the reader may have left", () => {
    expect(limits.streamMs).toBeLessThanOrEqual(90_000);
    // The service ends a stream itself, with an event after which the reader reconnects.
    for (const name of ["stream", "routes"] as const)
      expect(fn(template, descriptions[name]).properties.Timeout * 1000).toBe(limits.streamMs + 30_000);
    const [distribution] = Object.values(template.findResources("AWS::CloudFront::Distribution"));
    const [origin] = distribution?.Properties.DistributionConfig.Origins ?? [];
    expect(origin.ResponseCompletionTimeout).toBeUndefined();
    const silenceMs = limits.streamPingMs + limits.streamPollMs;
    expect(silenceMs * 2).toBeLessThan(origin.CustomOriginConfig.OriginReadTimeout * 1000);
    // API Gateway ends a stream of a regional API after five silent minutes.
    expect(silenceMs).toBeLessThan(300_000);
  });

  it("may invoke each function by one permission", () => {
    const permissions = Object.values(template.findResources("AWS::Lambda::Permission")).filter(
      ({ Properties }) => Properties.Principal === "apigateway.amazonaws.com",
    );
    expect(permissions).toHaveLength(13);
  });

  it("answers its own refusals in plain text with a code, never in HTML", () => {
    const responses = Object.values(template.findResources("AWS::ApiGateway::GatewayResponse")).map(({ Properties }) => Properties);
    expect(responses.map(({ ResponseType }) => ResponseType)).toEqual(
      expect.arrayContaining([
        "DEFAULT_4XX",
        "DEFAULT_5XX",
        "THROTTLED",
        "REQUEST_TOO_LARGE",
        "INTEGRATION_TIMEOUT",
        "MISSING_AUTHENTICATION_TOKEN",
      ]),
    );
    for (const { ResponseParameters, ResponseTemplates } of responses) {
      expect(ResponseParameters["gatewayresponse.header.content-type"]).toBe("'text/plain; charset=utf-8'");
      expect(ResponseParameters["gatewayresponse.header.x-svc-error"]).toMatch(/^'[\w.]+'$/);
      expect(ResponseParameters["gatewayresponse.header.content-security-policy"]).toBe("'sandbox'");
      for (const text of Object.values(ResponseTemplates)) expect(text).toMatch(/^[A-Z][^<{]+\.$/);
    }
  });

  it("logs every call without path and query string, because both can contain a token", () => {
    const [stage] = Object.values(template.findResources("AWS::ApiGateway::Stage"));
    const format: string = stage?.Properties.AccessLogSetting.Format;
    expect([...format.matchAll(/\$context\.([\w.]+)/g)].map(([, field]) => field).sort()).toEqual([
      "error.message",
      "httpMethod",
      "integrationLatency",
      "requestId",
      "requestTimeEpoch",
      "resourcePath",
      "responseLatency",
      "responseLength",
      "status",
    ]);
  });
});

describe("the edge on AWS", () => {
  it("caches nothing, keeps the origin's Host, waits longer than API Gateway and does not compress", () => {
    template.hasResourceProperties("AWS::CloudFront::Distribution", {
      DistributionConfig: Match.objectLike({
        DefaultCacheBehavior: Match.objectLike({
          CachePolicyId: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
          OriginRequestPolicyId: "b689b0a8-53d0-40ab-baf2-68738e2966ac",
          Compress: false,
          ViewerProtocolPolicy: "https-only",
          AllowedMethods: ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"],
        }),
        // The second one is that of HTTP routes, the third one is the bucket.
        Origins: Match.arrayWith(
          [1, 2].map(() =>
            Match.objectLike({
              OriginPath: "/prod",
              CustomOriginConfig: Match.objectLike({ OriginReadTimeout: 60, OriginProtocolPolicy: "https-only" }),
            }),
          ),
        ),
      }),
    });
  });

  it("is the address that functions return to callers", () => {
    const [distribution] = Object.keys(template.findResources("AWS::CloudFront::Distribution"));
    const run = Object.values(template.findResources("AWS::Lambda::Function")).find(
      ({ Properties }) => Properties.Description === "svc: run routes",
    );
    const url = { "Fn::Join": ["", ["https://", { "Fn::GetAtt": [distribution, "DomainName"] }]] };
    expect(run?.Properties.Environment.Variables).toMatchObject({ SVC_BASE_URL: url, SVC_INTERNAL_URL: url });
  });

  it("uses the owner's domain, with its DNS record", () => {
    const own = aStack({
      customDomain: { name: "svc.example.com", certificateArn: "arn:aws:acm:us-east-1:111111111111:certificate/abc", hostedZoneId: "Z1" },
    }).template;
    own.hasResourceProperties("AWS::CloudFront::Distribution", {
      DistributionConfig: Match.objectLike({
        Aliases: ["svc.example.com"],
        ViewerCertificate: Match.objectLike({ MinimumProtocolVersion: "TLSv1.2_2021" }),
      }),
    });
    own.hasResourceProperties("AWS::Route53::RecordSet", { Name: "svc.example.com.", Type: "A", HostedZoneId: "Z1" });
    own.hasOutput("Url", { Value: "https://svc.example.com" });
  });

  it("shows with a key that a request came through it, and each function that API Gateway calls requires one of the keys", () => {
    const withSecret = aStack({ edgeKeys: ["next", "stack"] }).template;
    const [secret] = Object.keys(withSecret.findResources("AWS::SecretsManager::Secret")).filter((id) => id.includes("EdgeKeysKeynext"));
    const ofStack = { "Fn::Select": [2, { "Fn::Split": ["/", { Ref: "AWS::StackId" }] }] };
    const resolved = ["{{resolve:secretsmanager:", { Ref: secret }];
    expect(secret).toBeDefined();
    for (const [from, sent, accepted] of [
      [template, ofStack, ofStack],
      [
        withSecret,
        { "Fn::Join": ["", [...resolved, ":SecretString:::}}"]] },
        { "Fn::Join": ["", [...resolved, ":SecretString:::}},", ofStack]] },
      ],
    ] as const) {
      // S3 learns no key of the API.
      for (const { Properties } of Object.values(from.findResources("AWS::CloudFront::Distribution")))
        for (const { OriginCustomHeaders: headers, S3OriginConfig: s3 } of Properties.DistributionConfig.Origins)
          expect(headers ?? []).toEqual(s3 ? [] : expect.arrayContaining([{ HeaderName: EDGE_KEY_HEADER, HeaderValue: sent }]));
      const called = Object.values(from.findResources("AWS::Lambda::Permission")).flatMap(({ Properties }) =>
        Properties.Principal === "apigateway.amazonaws.com" ? [Properties.FunctionName["Fn::GetAtt"][0]] : [],
      );
      const functions = Object.entries(from.findResources("AWS::Lambda::Function"));
      const checking = functions.filter(([, { Properties }]) => env.edgeKeys in (Properties.Environment?.Variables ?? {}));
      expect(checking.map(([id]) => id).sort()).toEqual([...new Set(called)].sort());
      expect(checking.length).toBeGreaterThan(10);
      for (const [, { Properties }] of checking) expect(Properties.Environment.Variables[env.edgeKeys]).toEqual(accepted);
      // CloudFormation resolves at most 60 of them.
      expect(JSON.stringify(from.toJSON()).match(/resolve:secretsmanager/g)?.length ?? 0).toBeLessThanOrEqual(60);
    }
  });

  it("restores the headers that API Gateway renames, only for HTTP routes, and tells their function", () => {
    const [distribution] = Object.values(template.findResources("AWS::CloudFront::Distribution"));
    const { CacheBehaviors, DefaultCacheBehavior, Origins } = distribution?.Properties.DistributionConfig ?? {};
    const restoring = (from: { OriginCustomHeaders?: { HeaderName: string }[] }) =>
      from.OriginCustomHeaders?.some(({ HeaderName }) => HeaderName === RESTORES_HEADER);
    const [origin, ...more] = Origins.filter(restoring);
    expect(more).toEqual([]);
    const [code] = Object.keys(template.findResources("AWS::CloudFront::Function", { Properties: { FunctionCode: EDGE_CODE } }));
    expect(CacheBehaviors[0]).toEqual({
      ...DefaultCacheBehavior,
      PathPattern: "/api/r/*",
      TargetOriginId: origin.Id,
      FunctionAssociations: [{ EventType: "viewer-response", FunctionARN: { "Fn::GetAtt": [code, "FunctionARN"] } }],
    });
    expect(DefaultCacheBehavior.FunctionAssociations).toBeUndefined();
  });

  it("passes uploads on to the bucket's own Host, without any right to the bucket and without a cache", () => {
    const [distribution] = Object.values(template.findResources("AWS::CloudFront::Distribution"));
    const { CacheBehaviors, DefaultCacheBehavior, Origins } = distribution?.Properties.DistributionConfig ?? {};
    const [code] = Object.keys(template.findResources("AWS::CloudFront::Function"));
    const [bucket] = Object.keys(template.findResources("AWS::S3::Bucket"));
    const { TargetOriginId: id, ...upload } = CacheBehaviors[1];
    const { TargetOriginId: _, ...passing } = DefaultCacheBehavior;
    // The policies of the default behaviour cache nothing, and forward the whole query but not the Host of the viewer.
    expect(upload).toEqual({
      ...passing,
      PathPattern: "/upload/*",
      FunctionAssociations: [{ EventType: "viewer-request", FunctionARN: { "Fn::GetAtt": [code, "FunctionARN"] } }],
    });
    expect(Origins.filter(({ Id }: { Id: string }) => Id === id)).toEqual([
      { Id: id, DomainName: { "Fn::GetAtt": [bucket, "RegionalDomainName"] }, S3OriginConfig: { OriginAccessIdentity: "" } },
    ]);
    template.resourceCountIs("AWS::CloudFront::OriginAccessControl", 0);
    expect(JSON.stringify(template.findResources("AWS::S3::BucketPolicy"))).not.toContain("cloudfront");
    const naming = Object.values(template.findResources("AWS::Lambda::Function")).flatMap(
      ({ Properties }) => Properties.Environment?.Variables?.[env.uploadsUrl] ?? [],
    );
    expect(naming).toEqual([{ "Fn::Join": ["", ["https://", { "Fn::GetAtt": [expect.any(String), "DomainName"] }, "/upload"]] }]);
  });

  it("does not exist locally, where the front server is the origin", () => {
    const local = aStack({ local: true, baseUrl: "http://127.0.0.1:8000" }).template;
    local.resourceCountIs("AWS::CloudFront::Distribution", 0);
    expect(JSON.stringify(local.toJSON())).not.toContain(env.edgeKeys);
    local.hasOutput("Url", { Value: "http://127.0.0.1:8000" });
  });
});
