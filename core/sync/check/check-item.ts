import type * as z from "zod";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import { findNearestName, findUnknownFields, type UnknownField } from "../../../contract/json/unknown-fields.ts";
import { findKind } from "../../../contract/kinds/kinds.ts";
import { type FileProblem, fieldsOf, type SyncItem } from "../item.ts";
import { isServerField } from "../server-fields.ts";
import { fileFields, itemSchemas } from "./item-schemas.ts";
import { createLocator, type Locator } from "./locate.ts";

/** The problems of an item's fields. `warnings`: unknown fields without a similar known name, which the service ignores. */
export interface FieldProblems {
  problems: FileProblem[];
  warnings: FileProblem[];
}

/** Checks the fields of an item against the request that saves it. `file`: the YAML file with them, and its text. */
export function checkItem(item: SyncItem, file: { name: string; text: string }): FieldProblems {
  const found: FieldProblems = { problems: [], warnings: [] };
  const schema = itemSchemas[item.kind];
  if (!schema) return found;
  const request = toRequest(item);
  let locate: Locator | undefined;
  const add = (list: FileProblem[], path: readonly PropertyKey[], message: string) => {
    const at = path.length === 0 ? "" : `${path.map(String).join(".")}: `;
    locate ??= createLocator(file.text);
    list.push({ file: file.name, ...locate(path), message: `${at}${message}` });
  };
  const issues = [schema, fileFields].flatMap((one) => one.safeParse(request).error?.issues ?? []);
  for (const issue of issues) add(found.problems, issue.path, describeIssue(issue, request));
  for (const { path, knownNames, meant } of listUnknown(schema, request)) {
    const nearest = meant ?? findNearestName(String(path.at(-1)), knownNames);
    if (meant !== undefined) add(found.problems, path, `there is no such field. Did you mean ${meant}?`);
    else
      add(found.warnings, path, `there is no such field: the service ignores it.${nearest ? ` The most similar one is ${nearest}.` : ""}`);
  }
  return found;
}

/** Returns the fields that neither the request nor its file can have. */
function listUnknown(schema: z.ZodType, request: Record<string, unknown>): UnknownField[] {
  const ofFile = findUnknownFields(fileFields, request);
  return findUnknownFields(schema, request).flatMap((field) => {
    if (field.path.length > 1) return [field];
    const same = ofFile.find(({ path }) => path.length === 1 && path[0] === field.path[0]);
    return same ? [{ ...field, knownNames: [...field.knownNames, ...same.knownNames], meant: field.meant ?? same.meant }] : [];
  });
}

/** Returns the fields of the request. The name of an item is not in its file. */
function toRequest(item: SyncItem): Record<string, unknown> {
  const { kind, path, content, language } = item;
  const fields = Object.fromEntries(Object.entries(fieldsOf(item)).filter(([name]) => !isServerField(name)));
  if (kind === "user" || kind === "group" || kind === "settings") return fields;
  if (kind === "script") return { ...fields, path, content, language };
  return findKind(kind)?.id === "name" ? { ...fields, name: path } : { ...fields, path };
}

const names: Readonly<Record<string, string>> = {
  string: "a text",
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
  null: "null",
};

/** Describes the fault of a value. The value may be a secret, so only its type is named. */
function describeIssue(issue: z.core.$ZodIssue, request: unknown): string {
  const value = valueAt(request, issue.path);
  if (value === undefined) return describeMissing(issue);
  if (issue.code === "invalid_type") {
    const hint = issue.expected === "string" && (typeof value === "number" || typeof value === "boolean") ? " Put it in quotes." : "";
    return `must be ${names[issue.expected] ?? issue.expected}, and not ${typeOf(value)}.${hint}`;
  }
  if (issue.code === "invalid_value") return `must be one of: ${issue.values.map(String).join(", ")}.`;
  if (issue.code === "invalid_union") {
    const inner = issue.errors.find((errors) => errors.length > 0)?.[0];
    const options = issue.discriminator === undefined ? "" : listOptions(issue);
    return options || (inner ? describeIssue({ ...inner, path: [...issue.path, ...inner.path] }, request) : issue.message);
  }
  return issue.message;
}

function describeMissing(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return `is missing: it must be ${names[issue.expected] ?? issue.expected}.`;
  if (issue.code === "invalid_value") return `is missing: it must be one of: ${issue.values.map(String).join(", ")}.`;
  return issue.message.startsWith("must") ? `is missing: it ${issue.message}.` : "is missing.";
}

const listOptions = ({ discriminator, options }: { discriminator?: string | undefined; options?: unknown[] | undefined }): string =>
  options === undefined ? "" : `${discriminator} must be one of: ${options.map(String).join(", ")}.`;

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const part of path) {
    if (Array.isArray(value)) value = value[Number(part)];
    else value = isJsonObject(value) && Object.hasOwn(value, part) ? value[String(part)] : undefined;
  }
  return value;
}

function typeOf(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  return names[typeof value] ?? typeof value;
}
