import { Validations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/** Records why a cdk-nag rule does not apply. Call it beside the construct it concerns, so that both change together. */
export function acknowledge(construct: IConstruct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason });
}
