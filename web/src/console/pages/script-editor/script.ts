import type { Body, Reply } from "../../../../../contract/client/operation.ts";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { scriptTemplates, templateKinds } from "../../../../../contract/templates/script-templates.ts";

type NewScript = Body<"scripts.create">;
type Script = Reply<"scripts.getByPath">;

/** The fields of a version that its author sets. The build fills the lock, and the service knows the rest. */
export const authoredFields = [
  ...(["path", "summary", "description", "content", "language", "kind", "schema"] as const),
  ...(["is_template", "tag", "envs", "concurrent_limit", "concurrency_time_window_s", "concurrency_key"] as const),
  ...([
    "debounce_key",
    "debounce_delay_s",
    "debounce_args_to_accumulate",
    "max_total_debouncing_time",
    "max_total_debounces_amount",
  ] as const),
  ...([
    "cache_ttl",
    "cache_ignore_s3_path",
    "validate_input",
    "idempotent_webhook_id",
    "dedicated_worker",
    "ws_error_handler_muted",
  ] as const),
  ...(["priority", "restart_unless_cancelled", "timeout", "delete_after_secs", "visible_to_runner_only", "auto_kind", "codebase"] as const),
  ...(["on_behalf_of_email", "on_behalf_of", "modules", "labels", "assets"] as const),
] as const satisfies (keyof NewScript)[];

/** A script that is edited, and the version that it began from. */
export type EditedScript = Pick<NewScript, "path" | "summary" | "content" | "language"> &
  Partial<Pick<NewScript, (typeof authoredFields)[number]>> & { parent_hash?: string | undefined };

/** Takes the fields that an author sets from a version. Its next version begins with them. */
export function toEdited(script: Script): EditedScript {
  const entries = authoredFields.map((name) => [name, script[name]] as const).filter(([, value]) => value !== undefined && value !== null);
  const { path, summary, content, language, hash } = script;
  return { ...Object.fromEntries(entries), path, summary, content, language, parent_hash: hash };
}

const templatesOf = (language: string): Partial<Record<string, string>> => scriptTemplates[language as keyof typeof scriptTemplates] ?? {};

/** Changes the language. A template that was not edited becomes that of the new language; other code stays. */
export function changeLanguage({ language, content }: EditedScript, next: EditedScript["language"]): Partial<EditedScript> {
  const kind = templateKinds.find((each) => templatesOf(language)[each] === content);
  const template = kind && (templatesOf(next)[kind] ?? templatesOf(next)["script"]);
  return template === undefined ? { language: next } : { language: next, content: template };
}

/** Returns a draft if it has the form of a script. */
export function parseEdited(value: unknown): EditedScript | undefined {
  if (!isJsonObject(value)) return undefined;
  const { path, summary, content, language } = value;
  const isScript = [path, summary, content, language].every((text) => typeof text === "string");
  return isScript ? (value as object as EditedScript) : undefined;
}

/** Returns whether a path is complete. */
export const isPath = (path: string): boolean => /^[uf]\/[^/]+\/./.test(path);

/** A long text is the same object in most comparisons. */
const isSame = (a: unknown, b: unknown) => a === b || JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** Returns whether two states of a script differ in a field that is deployed. */
export const hasChanges = (before: EditedScript, after: EditedScript): boolean =>
  authoredFields.some((name) => name !== "schema" && !isSame(before[name], after[name]));

export type AuthoredField = (typeof authoredFields)[number];

/** Lists the fields, apart from the text, that two people have set to different values. */
export const listBothChanged = (base: EditedScript, theirs: EditedScript, mine: EditedScript): AuthoredField[] =>
  authoredFields.filter(
    (name) =>
      name !== "content" &&
      name !== "schema" &&
      [base, theirs].every((other) => !isSame(other[name], mine[name])) &&
      !isSame(base[name], theirs[name]),
  );

/**
 * Takes each field that I did not change from the newer version, and those in `chosenTheirs`, which both have changed. The texts are merged
 * apart.
 */
export function mergeFields(
  base: EditedScript,
  theirs: EditedScript,
  mine: EditedScript,
  chosenTheirs: ReadonlySet<AuthoredField> = new Set(),
): EditedScript {
  const changed = authoredFields.filter((name) => !isSame(base[name], mine[name]) && !chosenTheirs.has(name));
  return { ...theirs, ...Object.fromEntries(changed.map((name) => [name, mine[name]])) };
}

/** Returns the schema of a new version: that of the code, with what the author has added to the parameters of the former schema. */
export function nextSchema(former: unknown, inferred: Record<string, unknown>): Record<string, unknown> {
  const formerProperties = isJsonObject(former) && isJsonObject(former["properties"]) ? former["properties"] : {};
  const properties = isJsonObject(inferred["properties"]) ? inferred["properties"] : {};
  const merged = Object.entries(properties).map(([name, property]) => {
    const earlier = formerProperties[name];
    const isKept = isJsonObject(earlier) && isJsonObject(property) && isSame(earlier["type"], property["type"]);
    return [name, isKept ? { ...earlier, ...property } : property] as const;
  });
  return { ...inferred, properties: Object.fromEntries(merged) };
}
