import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CfnElement, Names, Stack, Validations } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import { anApp } from "./app-fixture.ts";
import { parseConfig } from "./config.ts";
import { stubBundles } from "./stack-fixture.ts";
import { aws } from "./stack-rights.ts";
import { Svc, type SvcProps } from "./svc.ts";
import { SvcStack } from "./svc-stack.ts";

const bundles = stubBundles();
/** A name that no resource of the service could have. */
const LONG = "PlatformTeam-WorkflowAutomation-ProductionEuropeCentral";

function embedded(props: Partial<SvcProps> = {}, app = anApp()) {
  const stack = new Stack(app, "Platform", { stackName: LONG });
  return { app, stack, svc: new Svc(stack, "Svc", { bundles, ...props }) };
}

/** The resources of a service, by the paths of their constructs. Each id that CDK derives from a path is replaced by the path. */
function resourcesByPlace(stack: Stack, svc: Svc): Record<string, unknown> {
  const text = JSON.stringify(Template.fromStack(stack).toJSON()["Resources"]);
  const places = svc.node.findAll().flatMap((each) => {
    const place = each.node.path.slice(svc.node.path.length + 1);
    const logicalId = each instanceof CfnElement ? [[String(stack.resolve(each.logicalId)), place] as const] : [];
    return [...logicalId, [Names.nodeUniqueId(each.node), place] as const];
  });
  const placeOf = new Map(places.filter(([, place]) => place !== ""));
  const ids = [...placeOf.keys()].sort((a, b) => b.length - a.length);
  const placed = (given: string) => given.replace(new RegExp(ids.join("|"), "g"), (id) => `<${placeOf.get(id)}>`);
  // The name of a construct may contain the id of another one.
  // The flags of the whole app decide the order of the lists in a statement.
  const sorted = (key: string, value: unknown) =>
    ["Action", "Resource"].includes(key) && Array.isArray(value) ? value.map((each) => JSON.stringify(each)).sort() : value;
  return JSON.parse(placed(placed(text)), sorted) as Record<string, unknown>;
}

describe("the stack of the service", () => {
  it("keeps the ids of the resources with data, because another id would be an empty resource", () => {
    const kept = Object.entries(aws.toJSON()["Resources"] as Record<string, { DeletionPolicy?: string }>);
    expect(kept.filter(([, { DeletionPolicy }]) => DeletionPolicy === "RetainExceptOnCreate").map(([id]) => id)).toEqual([
      "JobsTable10C8EDF6",
      "ObjectsTableEE4C5E98",
      "StorageBucket5CB7C8EA",
      "KeysSecretsC2A8CD45",
      "KeysAnchors32D35766",
      "SigningSeed24F276F9",
      "PeoplePoolC64A4D1E",
    ]);
  });
});

describe("a service in a stack of its user", () => {
  it("has the resources of the stack svc, whatever the stack's name and the app's feature flags are", () => {
    const { context } = JSON.parse(readFileSync(join(import.meta.dirname, "../cdk.json"), "utf8"));
    const { stack, svc } = embedded({}, anApp({}));
    const alone = new SvcStack(anApp(context), "svc", { config: parseConfig({}), bundles });
    const [only] = alone.node.children.filter((each) => each instanceof Svc);
    if (!only) throw new Error("The stack has no service.");
    expect(resourcesByPlace(stack, svc)).toEqual(resourcesByPlace(alone, only));
  });

  it("leaves no finding of cdk-nag without a recorded reason", () => {
    const { app } = embedded();
    const checks = new AwsSolutionsChecks(app);
    Validations.of(app).addPlugins(checks);
    expect(checks.validateScope(app).violations).toEqual([]);
  });

  it("names its address, tables, bucket, queues and functions as properties", () => {
    const { stack, svc } = embedded();
    const ref = (id: string) => ({ Ref: expect.stringMatching(new RegExp(`^Svc${id}`)) });
    expect(stack.resolve(svc.url)).toEqual({ "Fn::Join": ["", ["https://", { "Fn::GetAtt": [expect.anything(), "DomainName"] }]] });
    expect(stack.resolve([svc.jobsTable.tableName, svc.objectsTable.tableName])).toEqual([ref("Jobs"), ref("Objects")]);
    expect(stack.resolve([svc.bucket.bucketName, svc.noticesTopic.topicArn])).toEqual([ref("Storage"), ref("Notices")]);
    expect(stack.resolve([svc.queues.normal, svc.queues.high, svc.queues.deadLetters].map(({ queueUrl }) => queueUrl))).toHaveLength(3);
    expect(stack.resolve(svc.functions.get("runner-python3")?.functionName)).toEqual(ref("Runnerspython3"));
    expect(stack.resolve(svc.userPool?.userPoolId)).toEqual(ref("People"));
    expect(embedded({ passwords: false }).svc.userPool).toBeUndefined();
  });

  it("accepts values that CloudFormation knows later", () => {
    const app = anApp();
    const stack = new Stack(app, "Platform");
    const certificate = new Certificate(stack, "Certificate", { domainName: "svc.example.com" });
    new Svc(stack, "Svc", { bundles, customDomain: { name: "svc.example.com", certificateArn: certificate.certificateArn } });
    const [distribution] = Object.values(Template.fromStack(stack).findResources("AWS::CloudFront::Distribution"));
    expect(distribution?.Properties.DistributionConfig.ViewerCertificate.AcmCertificateArn).toEqual({
      Ref: expect.stringMatching(/^Certificate/),
    });
  });
});

describe("two services in one app", () => {
  it("have different names in one account and region", () => {
    const { app, stack } = embedded();
    expect(() => new Svc(stack, "Second", { bundles })).toThrow("Two services of this app have the name svc.");
    new Svc(stack, "Third", { bundles, name: "other" });
    expect(() => new Svc(new Stack(app, "Fourth"), "Svc", { bundles, name: "other" })).toThrow("have the name other");
  });

  it("may have the same name in different regions", () => {
    const app = anApp();
    for (const region of ["eu-central-1", "us-east-1"]) {
      const stack = new Stack(app, region, { env: { account: "111111111111", region } });
      expect(new Svc(stack, "Svc", { bundles }).name).toBe("svc");
    }
  });

  it("refuses a name that does not fit into the names of resources", () => {
    expect(() => embedded({ name: LONG })).toThrow("1 to 12 lower-case letters");
    expect(() => embedded({ name: "svc-two" })).toThrow("cannot begin with svc-");
  });
});
