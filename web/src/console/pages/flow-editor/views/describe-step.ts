import { flowEditorText as text } from "../../../messages/editor/flow.ts";
import type { Module } from "../document/flow-document.ts";
import type { ListRef } from "../document/lists.ts";

/** Returns the kind of a step in words, with the language or the path of what it runs. */
export function describeStep({ id, value }: Module): string {
  const { type, language, path } = value;
  const kind = Object.hasOwn(text.kindOf, type) ? text.kindOf[type as keyof typeof text.kindOf] : text.unknownKind(type);
  const detail = type === "rawscript" ? languageName(language) : type === "script" || type === "flow" ? path : undefined;
  const role = id === "failure" ? [text.failure] : id === "preprocessor" ? [text.preprocessor] : [];
  return [...role, kind, ...(typeof detail === "string" ? [detail] : [])].join(" · ");
}

const languageName = (language: unknown): string | undefined =>
  typeof language !== "string"
    ? undefined
    : Object.hasOwn(text.languages, language)
      ? text.languages[language as keyof typeof text.languages]
      : language;

/** Returns the name of a list inside a step. The body of a loop has none. */
export function describeList({ value }: Module, list: ListRef["list"]): string {
  if (list === "default") return text.defaultBranch;
  if (typeof list !== "number") return "";
  const branch: unknown = Array.isArray(value["branches"]) ? value["branches"][list] : undefined;
  const summary = typeof branch === "object" && branch !== null && "summary" in branch ? branch.summary : undefined;
  return typeof summary === "string" && summary !== "" ? summary : text.branch(list + 1);
}
