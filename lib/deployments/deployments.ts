import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CustomResource, Duration, FileSystem, Token } from "aws-cdk-lib";
import { CfnStage } from "aws-cdk-lib/aws-apigateway";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { CfnEventSourceMapping, CfnPermission, type Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Asset } from "aws-cdk-lib/aws-s3-assets";
import { Construct } from "constructs";
import { runnablePath, workspaceId } from "../../contract/common.ts";
import { type DeployedItem, type Deployment, ITEMS_FILE } from "../../contract/deployment/deployment.ts";
import { env } from "../../contract/env.ts";
import { addFunction, type StackParts } from "../functions/add-function.ts";
import { acknowledgeWildcard } from "../observability/nag.ts";
import type { DeploymentOptions, FlowOptions, FolderOptions, ScriptOptions } from "./options.ts";

/** Lambda's maximum. The function replies 30 s earlier. */
const TIMEOUT_S = 900;

/** The files that an app deploys into workspaces: one custom resource for each call, in the order of the calls, and the function behind them. */
export class Deployments extends Construct {
  private readonly parts: StackParts;
  private readonly origin: string;
  private fn: LambdaFunction | undefined;
  private last: CustomResource | undefined;

  /** `origin`: an address at which the service answers as soon as it is deployed, before the records of its domain exist. */
  constructor(scope: Construct, id: string, parts: StackParts, origin: string) {
    super(scope, id);
    this.parts = parts;
    this.origin = origin;
  }

  addFolder(folder: string, { id = "Folder", ...options }: FolderOptions): void {
    this.add(id, folder, options);
  }

  addScript({ path, language, source, summary = "", description = "", fields = {}, ...options }: ScriptOptions): void {
    const content = "file" in source ? readFileSync(source.file, "utf8") : source.content;
    const value = { ...fields, summary, description };
    this.addItem({ kind: "script", path, language, content, value }, options);
  }

  addFlow({ path, source, ...options }: FlowOptions): void {
    const text = "file" in source ? readFileSync(source.file, "utf8") : JSON.stringify(source.flow);
    this.addItem({ kind: "flow", path, text }, options);
  }

  private addItem(item: DeployedItem, options: DeploymentOptions): void {
    const { kind, path } = item;
    check(runnablePath.safeParse(path).success, `${path} is no path of a ${kind}. A path is such as f/orders/refund.`);
    const text = JSON.stringify([item]);
    check(!Token.isUnresolved(text), `The ${kind} ${path} contains a value that CloudFormation knows only later.`);
    const folder = FileSystem.mkdtemp("svc-items-");
    writeFileSync(join(folder, ITEMS_FILE), text);
    this.add(`${kind}-${path}`, folder, options);
  }

  private add(name: string, folder: string, { workspace, remove = false }: DeploymentOptions): void {
    check(workspaceId.safeParse(workspace).success, `${workspace} is no id of a workspace.`);
    const id = `${workspace}-${name}`.replace(/[^\w-]/g, "--");
    const scope = new Construct(this, id);
    // The state of a checkout is in `.svc`, and belongs to its user.
    const asset = new Asset(scope, "Files", { path: folder, exclude: [".svc", ".git", "node_modules"] });
    this.fn ??= this.addFunction(asset);
    const properties: Deployment = {
      workspace,
      bucket: asset.s3BucketName,
      objectKey: asset.s3ObjectKey,
      id,
      removes: remove ? "true" : "false",
    };
    const resource = new CustomResource(scope, "Deployment", {
      resourceType: "Custom::SvcDeployment",
      serviceToken: this.fn.functionArn,
      // One minute after the latest time at which the function can reply.
      serviceTimeout: Duration.seconds(TIMEOUT_S + 60),
      properties,
    });
    // The function may read the file.
    if (this.fn.role) resource.node.addDependency(this.fn.role);
    // Items of a call may refer to those of the calls before it.
    if (this.last) resource.node.addDependency(this.last);
    else resource.node.addDependency(...this.listNeeded());
    this.last = resource;
  }

  /** The resources that requests and builds need, but on which no resource that the function references depends. */
  private listNeeded(): Construct[] {
    return this.parts.scope.node
      .findAll()
      .filter(
        (each): each is CfnStage => each instanceof CfnStage || each instanceof CfnPermission || each instanceof CfnEventSourceMapping,
      );
  }

  private addFunction({ bucket }: Asset): LambdaFunction {
    const { config, objects, storage } = this.parts;
    const size = { description: "svc: deploys files of CDK apps", memoryMb: 1769, timeoutS: TIMEOUT_S };
    return addFunction(this.parts, "deploy", size, (fn) => {
      fn.addEnvironment(env.internalUrl, this.origin);
      fn.addEnvironment(env.instanceEvents, config.instanceEventsWebhook);
      // All assets in one statement: a right for each call would soon exceed the size of the role, and an update would remove it before the
      // removal of the call needs it.
      const resource = bucket.arnForObjects("*.zip");
      fn.addToRolePolicy(new PolicyStatement({ actions: ["s3:GetObject"], resources: [resource] }));
      acknowledgeWildcard(fn, resource, "A removal reads an asset that the app no longer names.");
      objects.allowWrite(fn);
      storage.allowRead(fn, "deployments");
      storage.allowWrite(fn, "deployments");
    });
  }
}

function check(holds: boolean, sentence: string): void {
  if (!holds) throw new Error(sentence);
}
