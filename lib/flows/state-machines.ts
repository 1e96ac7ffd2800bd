import { ArnFormat, Stack } from "aws-cdk-lib";
import { Rule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { env } from "../../contract/env.ts";
import type { StackConfig } from "../config.ts";
import { acknowledge } from "../observability/nag.ts";

/** State machines are made while the service runs, one for each flow's definition: what may be done with them goes by the beginning of their names. */
const MACHINES = "svc-*";

/** What flows need of Step Functions. */
export class StateMachines extends Construct {
  /** The role of every state machine: it calls one function, and that is all. */
  private readonly role: Role;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.role = new Role(this, "Role", {
      description: "svc: state machines of flows",
      assumedBy: new ServicePrincipal("states.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": Stack.of(this).account } },
      }),
    });
  }

  /** The function that every task of every machine calls. */
  configureStep(fn: LambdaFunction): void {
    this.role.addToPolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [fn.functionArn] }));
  }

  /** Makes machines that may call `step`. */
  configureMake(fn: LambdaFunction, step: LambdaFunction): void {
    this.allow(fn, ["CreateStateMachine", "TagResource"], "stateMachine", MACHINES);
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ["iam:PassRole"],
        resources: [this.role.roleArn],
        conditions: { StringEquals: { "iam:PassedToService": "states.amazonaws.com" } },
      }),
    );
    fn.addEnvironment(env.stack, Stack.of(this).stackName);
    fn.addEnvironment(env.machineRole, this.role.roleArn);
    fn.addEnvironment(env.stepFunction, step.functionArn);
  }

  /** Says what a flow is built to, and where it can be looked at: that is made of names, and no right. */
  configureShow(fn: LambdaFunction, step: LambdaFunction, config: StackConfig): void {
    fn.addEnvironment(env.stepFunction, step.functionArn);
    if (!config.local) fn.addEnvironment(env.statesConsole, "on");
  }

  /** Deletes machines that carry the stack's name, also those that nothing runs. */
  configureRemove(fn: LambdaFunction): void {
    const { stackName } = Stack.of(this);
    this.allow(fn, ["ListTagsForResource", "ListExecutions"], "stateMachine", MACHINES);
    this.allow(fn, ["DeleteStateMachine"], "stateMachine", MACHINES, { StringEquals: { "aws:ResourceTag/svc": stackName } });
    this.allow(fn, ["ListStateMachines"], "stateMachine", "*");
    fn.addEnvironment(env.stack, stackName);
  }

  configureStart(fn: LambdaFunction): void {
    this.allow(fn, ["StartExecution"], "stateMachine", MACHINES);
  }

  configureLook(fn: LambdaFunction): void {
    this.allow(fn, ["DescribeExecution"], "execution", `${MACHINES}:*`);
  }

  /** Tells the task that waits for a nested flow that it has ended. */
  configureResume(fn: LambdaFunction): void {
    this.allow(fn, ["SendTaskSuccess"], "stateMachine", MACHINES);
  }

  configureStop(fn: LambdaFunction): void {
    this.allow(fn, ["StopExecution"], "execution", `${MACHINES}:*`);
  }

  /** Called when an execution of one of these machines ends in another way than by success. */
  configureHear(fn: LambdaFunction): void {
    new Rule(this, "Ended", {
      description: "svc: failed and stopped executions of flows",
      eventPattern: {
        source: ["aws.states"],
        detailType: ["Step Functions Execution Status Change"],
        detail: { status: ["FAILED", "TIMED_OUT", "ABORTED"], stateMachineArn: [{ prefix: this.arn("stateMachine", "svc-") }] },
      },
      // Housekeeping looks at flows that nothing was heard of.
      targets: [new LambdaTarget(fn, { retryAttempts: 2 })],
    });
  }

  private arn(resource: string, resourceName: string): string {
    return Stack.of(this).formatArn({ service: "states", resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  }

  private allow(fn: LambdaFunction, actions: string[], resource: string, resourceName: string, conditions: object = {}): void {
    const { partition, region, account } = Stack.of(this);
    const resources = [this.arn(resource, resourceName)];
    fn.addToRolePolicy(new PolicyStatement({ actions: actions.map((action) => `states:${action}`), resources, conditions }));
    fn.addEnvironment(env.statesArn, `arn:${partition}:states:${region}:${account}`);
    const reason = "The service creates state machines at run time with names that begin with svc-. Listing covers all state machines.";
    if (fn.role) {
      acknowledge(
        fn.role,
        `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:${resource}:${resourceName}]`,
        reason,
      );
    }
  }
}
