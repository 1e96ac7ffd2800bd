import { isJsonObject } from "../../../../../../contract/json/json-object.ts";
import type { Module } from "./flow-document.ts";
import { readFlow, readYaml, writeYaml, type YamlProblem } from "./yaml.ts";

/** Returns steps as a text that any editor, and `readSteps`, understands. */
export const writeSteps = (modules: readonly Module[]): string => writeYaml({ modules });

/** Reads steps from a text: a step, a list of steps, or a flow. */
export function readSteps(text: string): { modules: readonly Module[] } | { problem: YamlProblem } {
  const read = readYaml(text);
  if ("problem" in read) return read;
  const checked = readFlow(writeYaml({ value: { modules: modulesIn(read.value) } }));
  return "problem" in checked ? { problem: { ...checked.problem, line: 1, column: 1 } } : { modules: checked.document.value.modules };
}

function modulesIn(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  if ("modules" in value) return value["modules"];
  if ("id" in value) return [value];
  return isJsonObject(value["value"]) ? value["value"]["modules"] : value;
}
