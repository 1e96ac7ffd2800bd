import { checkFlowRules } from "./flow-rules.ts";
import { flowShapeSchema } from "./flow-value.ts";

/** A flow in a request. The rules that span several fields are checked after the fields are valid. */
export const flowValueSchema = flowShapeSchema
  .superRefine((value, context) => {
    for (const { path, message } of checkFlowRules(value)) context.addIssue({ code: "custom", path, message });
  })
  .meta({ id: "FlowValue" });
