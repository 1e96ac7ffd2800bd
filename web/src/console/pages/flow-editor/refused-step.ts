import type { FlowValue, Module } from "./document/flow-document.ts";
import { findStep } from "./document/lists.ts";

/** Returns the id of the step that a refusal is about: the innermost one on the path that its sentence names. */
export function refusedStep(value: FlowValue, sentence: string): string | undefined {
  const [path] = /(?:modules(?:\.|\[)\d|failure_module|preprocessor_module)[\w.[\]-]*/.exec(sentence) ?? [];
  // A rule about several fields names the step itself.
  const [, named] = /\bthe step ([A-Za-z0-9_-]+):/.exec(sentence) ?? [];
  if (path === undefined && named !== undefined && findStep(value, named)) return named;
  let part: unknown = value;
  let id: string | undefined;
  for (const name of path?.split(/[.[\]]+/) ?? []) {
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, name)) break;
    part = (part as Record<string, unknown>)[name];
    if (isModule(part)) id = part.id;
  }
  return id;
}

const isModule = (part: unknown): part is Module =>
  typeof part === "object" && part !== null && "id" in part && typeof part.id === "string" && "value" in part;
