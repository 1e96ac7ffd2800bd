import type { FlowModule, FlowValue } from "../../../contract/flows/flow-value.ts";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import { listAllModules } from "../../flows/version.ts";
import { findInSource, isNamedInExpression } from "./find-in-source.ts";
import { listReferringFields, type MentionTarget, refersTo } from "./mention-target.ts";

/** Returns where a flow mentions the target: `step b`, `step b: code`, `step b: input_transforms.db`, `flow_env.key`. */
export function findInFlow(target: MentionTarget, { path, value }: { path: string; value: FlowValue }): string[] {
  const { skip_expr, early_return, flow_env } = value;
  return [
    ...listAllModules(value).flatMap((module) => findInModule(target, path, module)),
    ...Object.entries({ skip_expr, early_return }).flatMap(([name, expression]) =>
      expression && isNamedInExpression(target, expression) ? [name] : [],
    ),
    ...listReferringFields(target, "flow_env", flow_env),
  ];
}

function findInModule(target: MentionTarget, flowPath: string, { id, value, ...module }: FlowModule): string[] {
  const step = `step ${id}`;
  const called = (value.type === "script" || value.type === "flow") && value.type === target.kind && value.path === target.path;
  const source =
    value.type === "rawscript"
      ? findInSource(target, { language: value.language, path: value.path ?? `${flowPath}/${id}`, content: value.content })
      : [];
  const inputs = Object.entries(("input_transforms" in value && isJsonObject(value.input_transforms) && value.input_transforms) || {});
  const { iterator, parallelism, branches } = value as Record<string, unknown>;
  const conditions = Array.isArray(branches) ? branches.map(({ expr }: { expr?: unknown }) => ({ expr })) : undefined;
  // The result of a mocked step and the form of an approval are no arguments.
  const { mock: _, suspend, ...fields } = module;
  const approvers = suspend?.user_groups_required;
  const evaluated = { iterator, parallelism, branches: conditions, user_groups_required: approvers, ...fields };
  return [
    ...(called ? [step] : []),
    ...source.map((how) => `${step}: ${how}`),
    ...inputs.flatMap(([name, transform]) => (isInTransform(target, transform) ? [`${step}: input_transforms.${name}`] : [])),
    ...Object.entries(evaluated).flatMap(([name, field]) => (isInTransform(target, field) ? [`${step}: ${name}`] : [])),
  ];
}

/** Returns whether a fixed value refers to the target, or an expression reads it, in a field of a step. */
function isInTransform(target: MentionTarget, field: unknown): boolean {
  if (Array.isArray(field)) return field.some((item) => isInTransform(target, item));
  if (!isJsonObject(field)) return false;
  if (field["type"] === "static") return refersTo(target, field["value"]);
  if (typeof field["expr"] === "string") return isNamedInExpression(target, field["expr"]);
  return Object.values(field).some((inner) => isInTransform(target, inner));
}
