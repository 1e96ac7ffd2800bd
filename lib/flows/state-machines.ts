import { ArnFormat, Stack } from "aws-cdk-lib";
import { Rule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { buildMachinePrefix } from "../../contract/deployment/stack-names.ts";
import { env } from "../../contract/env.ts";
import { InlineRole } from "../compute/rights/inline-role.ts";
import type { StackConfig } from "../config.ts";
import { acknowledgeWildcard } from "../observability/nag.ts";

/** Permissions and resources that flows need in Step Functions. */
export class StateMachines extends Construct {
  /** The role of every state machine. It may only invoke one function. */
  private readonly role: InlineRole;
  /** State machines are created at run time, one for each flow definition, so permissions match the prefix of the stack's machines. */
  private readonly prefix: string;

  private readonly stackName: string;

  constructor(scope: Construct, id: string, { stackName }: StackConfig) {
    super(scope, id);
    this.stackName = stackName;
    this.prefix = buildMachinePrefix(stackName);
    this.role = new InlineRole(this, "Role", {
      description: "svc: state machines of flows",
      assumedBy: new ServicePrincipal("states.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": Stack.of(this).account } },
      }),
    });
  }

  /** Sets the function that every task of every machine invokes. */
  allowMachinesToInvoke(fn: LambdaFunction): void {
    this.role.addToPolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [fn.functionArn] }));
  }

  /** Allows a function to create machines that may invoke `step`. */
  allowCreate(fn: LambdaFunction, step: LambdaFunction): void {
    this.allow(fn, ["CreateStateMachine", "DescribeStateMachine", "TagResource"], "stateMachine", `${this.prefix}*`);
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ["iam:PassRole"],
        resources: [this.role.roleArn],
        conditions: { StringEquals: { "iam:PassedToService": "states.amazonaws.com" } },
      }),
    );
    fn.addEnvironment(env.machineRole, this.role.roleArn);
    fn.addEnvironment(env.stepFunction, step.functionArn);
  }

  /** Provides the ARN of the function that tasks call, for descriptions of machines. This grants no permission. */
  provideStep(fn: LambdaFunction, step: LambdaFunction): void {
    fn.addEnvironment(env.stepFunction, step.functionArn);
  }

  /** Provides the names of machines and executions, and on AWS their pages in the console. This grants no permission. */
  provideMachineNames(fn: LambdaFunction, config: StackConfig): void {
    this.addMachinesArn(fn);
    if (!config.local) fn.addEnvironment(env.statesConsole, "on");
  }

  /** Allows a function to delete machines with the stack's prefix. */
  allowDelete(fn: LambdaFunction): void {
    this.allow(fn, ["ListTagsForResource", "ListExecutions"], "stateMachine", `${this.prefix}*`);
    this.allow(fn, ["DeleteStateMachine"], "stateMachine", `${this.prefix}*`, { StringEquals: { "aws:ResourceTag/svc": this.stackName } });
    this.allow(fn, ["ListStateMachines"], "stateMachine", "*");
  }

  allowStart(fn: LambdaFunction): void {
    this.allow(fn, ["StartExecution"], "stateMachine", `${this.prefix}*`);
  }

  allowDescribe(fn: LambdaFunction): void {
    this.allow(fn, ["DescribeExecution"], "execution", `${this.prefix}*:*`);
  }

  /** Allows a function to complete the task that waits for a nested flow. */
  allowResume(fn: LambdaFunction): void {
    this.allow(fn, ["SendTaskSuccess"], "stateMachine", `${this.prefix}*`);
  }

  allowStop(fn: LambdaFunction): void {
    this.allow(fn, ["StopExecution"], "execution", `${this.prefix}*:*`);
  }

  /** Invokes a function when an execution of one of these machines ends without success. */
  subscribeToFailures(fn: LambdaFunction): void {
    new Rule(this, "Ended", {
      description: "svc: failed and stopped executions of flows",
      eventPattern: {
        source: ["aws.states"],
        detailType: ["Step Functions Execution Status Change"],
        detail: { status: ["FAILED", "TIMED_OUT", "ABORTED"], stateMachineArn: [{ prefix: this.arn("stateMachine", this.prefix) }] },
      },
      // Few retries suffice, because housekeeping finds flows whose event was lost.
      targets: [new LambdaTarget(fn, { retryAttempts: 2 })],
    });
  }

  private addMachinesArn(fn: LambdaFunction): void {
    const { partition, region, account } = Stack.of(this);
    fn.addEnvironment(env.statesArn, `arn:${partition}:states:${region}:${account}`);
  }

  private arn(resource: string, resourceName: string): string {
    return Stack.of(this).formatArn({ service: "states", resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  }

  private allow(fn: LambdaFunction, actions: string[], resource: string, resourceName: string, conditions: object = {}): void {
    const arn = this.arn(resource, resourceName);
    fn.addToRolePolicy(new PolicyStatement({ actions: actions.map((action) => `states:${action}`), resources: [arn], conditions }));
    this.addMachinesArn(fn);
    const reason =
      "The service creates state machines at run time with names that begin with the stack's prefix. Listing covers all state machines.";
    acknowledgeWildcard(fn, arn, reason);
  }
}
