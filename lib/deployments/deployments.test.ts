import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, CfnOutput, Stack, Validations } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import { env } from "../../contract/env.ts";
import { anApp } from "../app-fixture.ts";
import { stubBundles } from "../stack-fixture.ts";
import { fn, list, rightsOf } from "../stack-rights.ts";
import { Svc, type SvcProps } from "../svc.ts";

const bundles = stubBundles();
const DEPLOY = "svc: deploys files";

function aFolder(files: Record<string, string> = { "f.txt": "text" }): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-workspace-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
function aService(props: SvcProps = {}): { app: App; stack: Stack; svc: Svc } {
  const app = anApp();
  const stack = new Stack(app, "Shop");
  return { app, stack, svc: new Svc(stack, "Svc", { bundles, ...props }) };
}
const typesIn = (stack: Stack) =>
  Object.values(Template.fromStack(stack).toJSON()["Resources"] as Record<string, { Type: string }>).map(({ Type }) => Type);
/** The types of the resources that one stack has in addition to those of another. */
function added(before: Stack, after: Stack): string[] {
  const left = typesIn(before);
  return typesIn(after).filter((type) => {
    const at = left.indexOf(type);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
const deploymentsIn = (template: Template) =>
  Object.entries(template.findResources("Custom::SvcDeployment")).map(([logicalId, { Properties, DependsOn }]) => ({
    logicalId,
    ...(Properties as Record<string, unknown>),
    dependsOn: list<string>(DependsOn ?? []),
  }));

describe("files that an app deploys", () => {
  it("cost one resource for each call, and three for the function behind them, only if there is a call", () => {
    const [none, one, three] = [aService(), aService(), aService()];
    one.svc.addFolder(aFolder(), { workspace: "shop" });
    three.svc.addFolder(aFolder(), { workspace: "shop" });
    three.svc.addScript({ workspace: "shop", path: "f/a/b", language: "bash", source: { content: "echo" } });
    three.svc.addFlow({ workspace: "other", path: "f/a/b", source: { flow: { summary: "", value: { modules: [] } } } });
    expect(added(none.stack, one.stack).sort()).toEqual([
      "AWS::IAM::Role",
      "AWS::Lambda::Function",
      "AWS::Logs::LogGroup",
      "Custom::SvcDeployment",
    ]);
    expect(added(one.stack, three.stack)).toEqual(["Custom::SvcDeployment", "Custom::SvcDeployment"]);
  });

  it("change the template only with their content", () => {
    const keyOf = (text: string) => {
      const { stack, svc } = aService();
      svc.addFolder(aFolder({ "a.sh": text }), { workspace: "shop" });
      return deploymentsIn(Template.fromStack(stack));
    };
    expect(keyOf("echo 1")).toEqual(keyOf("echo 1"));
    expect(keyOf("echo 1")).not.toEqual(keyOf("echo 2"));
  });

  it("are deployed in the order of the calls, once the API and the workers are complete", () => {
    const { stack, svc } = aService();
    svc.addFolder(aFolder(), { workspace: "shop" });
    svc.addScript({ workspace: "shop", path: "f/a/b", language: "bash", source: { content: "echo" }, remove: true });
    const template = Template.fromStack(stack);
    const [folder, script] = deploymentsIn(template);
    expect(folder).toMatchObject({ workspace: "shop", id: "shop-Folder", removes: "false", ServiceTimeout: "960" });
    expect(script).toMatchObject({ id: "shop-script-f--a--b", removes: "true", dependsOn: expect.arrayContaining([folder?.logicalId]) });
    for (const type of ["AWS::ApiGateway::Stage", "AWS::Lambda::Permission", "AWS::Lambda::EventSourceMapping"])
      expect(folder?.dependsOn).toEqual(expect.arrayContaining(Object.keys(template.findResources(type))));
    const { actions } = rightsOf(template, DEPLOY);
    expect(folder?.dependsOn.some((id) => /^SvcDeployRole/.test(id))).toBe(true);
    expect([...actions].filter((action) => /\*|^(iam|lambda|kms|states|cloudformation)/.test(action))).toEqual([]);
  });

  it("are read by a function that may read assets, its state and the objects table, and no other file, however many calls there are", () => {
    const { stack, svc } = aService();
    for (let call = 0; call < 3; call++) svc.addFolder(aFolder(), { workspace: "shop", id: `Folder${call}` });
    const template = Template.fromStack(stack);
    const reads = rightsOf(template, DEPLOY).statements.filter(({ Action }) => list(Action).includes("s3:GetObject"));
    const resources = JSON.stringify(reads.flatMap(({ Resource }) => list(Resource)));
    expect(resources).toMatch(/-assets-.*\/\*\.zip"/);
    expect(resources).toMatch(/\/deployments\/\*"/);
    expect(reads.flatMap(({ Resource }) => list(Resource))).toHaveLength(2);
  });

  it("reach the service by the address of the distribution, before the records of a domain exist", () => {
    const certificateArn = "arn:aws:acm:us-east-1:1:certificate/x";
    const { stack, svc } = aService({ customDomain: { name: "svc.example.com", certificateArn } });
    svc.addFolder(aFolder(), { workspace: "shop" });
    const variables = fn(Template.fromStack(stack), DEPLOY).properties.Environment.Variables;
    expect(variables[env.internalUrl]).toEqual({
      "Fn::Join": ["", ["https://", { "Fn::GetAtt": [expect.stringMatching(/^SvcEdge/), "DomainName"] }]],
    });
    const local = aService({ local: true, baseUrl: "http://127.0.0.1:8000" });
    local.svc.addFolder(aFolder(), { workspace: "shop" });
    expect(fn(Template.fromStack(local.stack), DEPLOY).properties.Environment.Variables[env.internalUrl]).toBe("http://127.0.0.1:8000");
  });

  it("pass cdk-nag", () => {
    const { app, svc } = aService();
    svc.addFolder(aFolder(), { workspace: "shop" });
    const checks = new AwsSolutionsChecks(app);
    Validations.of(app).addPlugins(checks);
    expect(checks.validateScope(app).violations).toEqual([]);
  });

  it("are refused if they cannot be deployed", () => {
    const { svc, stack } = aService();
    const script = { workspace: "shop", path: "f/a/b", language: "bash", source: { content: "echo" } } as const;
    expect(() => svc.addScript({ ...script, path: "hello" })).toThrow("hello is no path of a script.");
    expect(() => svc.addScript({ ...script, workspace: "Shop" })).toThrow("Shop is no id of a workspace.");
    const { bucketName } = svc.bucket;
    expect(() => svc.addScript({ ...script, source: { content: `aws s3 ls ${bucketName}` } })).toThrow("CloudFormation knows only later");
    new CfnOutput(stack, "Name", { value: bucketName });
    svc.addFolder(aFolder(), { workspace: "shop" });
    expect(() => svc.addFolder(aFolder(), { workspace: "shop" })).toThrow("already");
    svc.addFolder(aFolder(), { workspace: "shop", id: "More" });
  });

  it("may come from files, which are read while the app is synthesised", () => {
    const { stack, svc } = aService();
    const folder = aFolder({ "b.sh": "echo from a file", "flow.yaml": "summary: ''\nvalue: { modules: [] }\n" });
    svc.addScript({ workspace: "shop", path: "f/a/b", language: "bash", source: { file: join(folder, "b.sh") } });
    svc.addFlow({ workspace: "shop", path: "f/a/c", source: { file: join(folder, "flow.yaml") } });
    const keys = deploymentsIn(Template.fromStack(stack)).map((each) => JSON.stringify(each));
    expect(new Set(keys).size).toBe(2);
    expect(readFileSync(join(folder, "b.sh"), "utf8")).toBe("echo from a file");
  });
});
