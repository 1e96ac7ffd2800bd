import { parseQueueUrl } from "../../../core/triggers/sources.ts";
import { Complaint } from "../../launch/complaint.mjs";

export interface NamedStack {
  StackId: string;
  StackName: string;
  StackStatus: string;
}

export interface StackResource {
  ResourceType: string;
  PhysicalResourceId?: string;
  ResourceStatus: string;
}

/** The parts of a stack by which its run-time resources are recognised. */
export interface StackParts {
  name: string;
  /** The physical ids of all resources. CloudFormation removes them. */
  resources: ReadonlySet<string>;
  functions: ReadonlySet<string>;
  queueArns: ReadonlySet<string>;
}

/** Reads the parts from the resources that CloudFormation lists, also those of a deleted stack. */
export function readStackParts({ id, name }: { id: string; name: string }, resources: readonly StackResource[]): StackParts {
  const idsOf = (type: string) =>
    resources.flatMap(({ ResourceType, PhysicalResourceId }) => (ResourceType === type && PhysicalResourceId ? [PhysicalResourceId] : []));
  const [, partition, , region] = id.split(":");
  const queueArns = idsOf("AWS::SQS::Queue").flatMap((url) => {
    const queue = parseQueueUrl(url);
    return queue ? [`arn:${partition}:sqs:${region}:${queue.account}:${queue.name}`] : [];
  });
  return {
    name,
    resources: new Set(resources.flatMap(({ PhysicalResourceId }) => PhysicalResourceId ?? [])),
    functions: new Set(idsOf("AWS::Lambda::Function")),
    queueArns: new Set(queueArns),
  };
}

/**
 * Returns whether a newer stack has the name of a deleted one: resources found by that name may belong to it. `describe` throws a complaint if
 * there is none.
 */
export async function isReplaced(
  { StackName: name, StackStatus: status }: NamedStack,
  describe: (name: string) => Promise<unknown>,
): Promise<boolean> {
  if (status !== "DELETE_COMPLETE") return false;
  try {
    await describe(name);
    return true;
  } catch (error) {
    if (error instanceof Complaint && error.message.includes("does not exist")) return false;
    throw error;
  }
}
