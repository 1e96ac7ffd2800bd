import { isAlias, LineCounter, parseDocument, stringify } from "yaml";
import { findExcess, parseExactJson } from "../../../../../../contract/json/exact-json.ts";
import { isJsonObject } from "../../../../../../contract/json/json-object.ts";
import type { FlowDocument, Module } from "./flow-document.ts";
import { innerLists } from "./lists.ts";

/** Why a text is no flow, and where: `line` and `column` from 1. */
export interface YamlProblem {
  reason: string;
  line: number;
  column: number;
}

/** JSON of a deeper value is refused by the service. A reference to itself is infinitely deep. */
const MAX_DEPTH = 400;

/** Returns the text of a document. Reading it gives the same values: whole numbers stay exact, and texts that look like another type are quoted. */
export const writeYaml = (document: unknown): string =>
  stringify(withoutUndefined(document), { lineWidth: 0, aliasDuplicateObjects: false, version: "1.2" });

const withoutUndefined = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((each) => withoutUndefined(each ?? null));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : [[name, withoutUndefined(each)]])));
};

type Read = { value: unknown } | { problem: YamlProblem };

/** Reads YAML, or JSON, as values of JSON. */
export function readYaml(text: string): Read {
  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines, intAsBigInt: true, prettyErrors: false, version: "1.2" });
  const [error] = parsed.errors;
  if (error) return { problem: { reason: error.message, ...placeOf(lines, error.pos[0]) } };
  try {
    const value = toJson(parsed.toJS({ maxAliasCount: 100 }), 0);
    return { value };
  } catch (cause) {
    return { problem: { reason: cause instanceof Error ? cause.message : String(cause), line: 1, column: 1 } };
  }
}

const placeOf = (lines: LineCounter, offset: number) => {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
};

/** A whole number that a double holds becomes one. */
function toJson(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new RangeError(`The value is nested more than ${MAX_DEPTH} levels deep, or contains itself.`);
  if (typeof value === "bigint") return BigInt.asIntN(54, value) === value && Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(`JSON has no number ${value}.`);
  if (Array.isArray(value)) return value.map((each) => toJson(each, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toJson(each, depth + 1)]));
}

/** Reads the text of a flow. The problem names the place of the part that is no flow. */
export function readFlow(text: string): { document: FlowDocument } | { problem: YamlProblem } {
  const read = readYaml(text);
  if ("problem" in read) return read;
  const fault = findFault(read.value);
  if (!fault) return { document: read.value as FlowDocument };
  return { problem: { reason: fault.reason, ...placeInText(text, fault.path) } };
}

/** Reads a flow that `JSON.stringify` has written, with exact whole numbers, which is faster than YAML. Any other text is read as YAML. */
export function readStoredFlow(text: string): ReturnType<typeof readFlow> {
  const isJson = text.startsWith("{") && findExcess(text, MAX_DEPTH) === undefined;
  let value: unknown;
  try {
    value = isJson ? parseExactJson(text) : undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return value === undefined || findFault(value) ? readFlow(text) : { document: value as FlowDocument };
}

type Path = (string | number)[];
interface Fault {
  path: Path;
  reason: string;
}

/** The place of a part of a document in its text, or of the nearest part around it. */
export function placeInText(text: string, path: Path): { line: number; column: number } {
  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines });
  for (let length = path.length; length > 0; length -= 1) {
    const node = parsed.getIn(path.slice(0, length), true) as { range?: [number, number, number] | null } | undefined;
    if (node?.range && !isAlias(node)) return placeOf(lines, node.range[0]);
  }
  return { line: 1, column: 1 };
}

/** Finds the first part without which the editor cannot draw a flow. Whether the flow can be saved is decided by the service. */
function findFault(document: unknown): Fault | undefined {
  if (!isJsonObject(document)) return { path: [], reason: "A flow is an object with the field `value`." };
  if (!isJsonObject(document["value"])) return { path: ["value"], reason: "`value` must be an object with the field `modules`." };
  if (document["summary"] !== undefined && typeof document["summary"] !== "string")
    return { path: ["summary"], reason: "`summary` must be a text." };
  const { value } = document;
  const seen = new Set<string>();
  const aside = ["preprocessor_module", "failure_module"].flatMap((name) =>
    value[name] === undefined || value[name] === null ? [] : [{ path: ["value", name], module: value[name] }],
  );
  for (const { path, module } of aside) {
    const fault = findModuleFault(module, path, seen);
    if (fault) return fault;
  }
  return findListFault(value["modules"], ["value", "modules"], seen);
}

function findListFault(modules: unknown, path: Path, seen: Set<string>): Fault | undefined {
  if (!Array.isArray(modules)) return { path, reason: "`modules` must be a list of steps." };
  for (const [index, module] of modules.entries()) {
    const fault = findModuleFault(module, [...path, index], seen);
    if (fault) return fault;
  }
  return undefined;
}

function findModuleFault(module: unknown, path: Path, seen: Set<string>): Fault | undefined {
  if (!isJsonObject(module)) return { path, reason: "A step is an object with the fields `id` and `value`." };
  const { id, value } = module;
  if (typeof id !== "string" || id === "") return { path: [...path, "id"], reason: "A step needs an `id`." };
  if (seen.has(id)) return { path: [...path, "id"], reason: `Another step has the id ${id}.` };
  seen.add(id);
  if (!isJsonObject(value) || typeof value["type"] !== "string")
    return { path: [...path, "value"], reason: "`value` must be an object with a `type`." };
  const { branches } = value;
  if (branches !== undefined && !(Array.isArray(branches) && branches.every(isJsonObject))) {
    return { path: [...path, "value", "branches"], reason: "`branches` must be a list of objects." };
  }
  for (const { list, modules } of innerLists(module as Module)) {
    const at: Path = typeof list === "number" ? ["branches", list, "modules"] : [list];
    const fault = findListFault(modules, [...path, "value", ...at], seen);
    if (fault) return fault;
  }
  return undefined;
}
