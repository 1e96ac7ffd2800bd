import { isJsonObject } from "../../contract/json/json-object.ts";

/** The attributes of an SNS message, as SNS delivers them to a queue. */
export type MessageAttributes = Readonly<Record<string, { Type: string; Value: string }>>;

type Scalar = string | number | boolean | null;

/**
 * Returns whether the attributes of a message match a filter policy (Amazon SNS Developer Guide, "Filter policy constraints"). One subscription
 * serves all triggers on a topic, so their policies are compared here. An unknown operator matches nothing.
 */
export function matchesFilterPolicy(policy: Readonly<Record<string, unknown>> | null | undefined, attributes: MessageAttributes): boolean {
  return Object.entries(policy ?? {}).every(([name, rules]) => {
    if (name === "$or") return Array.isArray(rules) && rules.some((one) => isJsonObject(one) && matchesFilterPolicy(one, attributes));
    const values = Object.hasOwn(attributes, name) ? readValues(attributes[name]) : undefined;
    return Array.isArray(rules) && rules.some((rule) => matchesRule(rule, values));
  });
}

function readValues(attribute: { Type: string; Value: string } | undefined): Scalar[] {
  const { Type = "", Value = "" } = attribute ?? {};
  if (Type.startsWith("Number")) return [Number(Value)];
  if (Type !== "String.Array") return [Value];
  try {
    const list: unknown = JSON.parse(Value);
    return Array.isArray(list) ? (list as Scalar[]) : [Value];
  } catch {
    // For SNS, an attribute that is not a list is absent in every comparison.
    return [];
  }
}

function matchesRule(rule: unknown, values: Scalar[] | undefined): boolean {
  if (isJsonObject(rule) && Object.hasOwn(rule, "exists")) return rule["exists"] === (values !== undefined);
  if (values === undefined) return false;
  if (!isJsonObject(rule)) return values.some((value) => value === rule);
  if (Object.hasOwn(rule, "anything-but")) {
    const not = rule["anything-but"];
    const others = Array.isArray(not) ? not : [not];
    return values.every((value) => !others.some((other) => matchesRule(other, [value])));
  }
  return values.some((value) => matchesOperator(rule, value));
}

function matchesOperator(rule: Readonly<Record<string, unknown>>, value: Scalar): boolean {
  const [operator, operand] = Object.entries(rule)[0] ?? [];
  if (Object.keys(rule).length !== 1) return false;
  if (operator === "numeric") {
    return (typeof value === "number" || typeof value === "bigint") && Array.isArray(operand) && inRange(operand, Number(value));
  }
  if (typeof value !== "string" || typeof operand !== "string") return false;
  if (operator === "prefix") return value.startsWith(operand);
  if (operator === "suffix") return value.endsWith(operand);
  return operator === "equals-ignore-case" && value.toLowerCase() === operand.toLowerCase();
}

/** A range is a list of comparisons: `[">=", 0, "<", 100]`. */
function inRange(range: readonly unknown[], value: number): boolean {
  if (range.length === 0 || range.length % 2 === 1) return false;
  for (let at = 0; at < range.length; at += 2) {
    const limit = Number(range[at + 1]);
    const holds = { "=": value === limit, "<": value < limit, "<=": value <= limit, ">": value > limit, ">=": value >= limit };
    if (!holds[range[at] as keyof typeof holds]) return false;
  }
  return true;
}
