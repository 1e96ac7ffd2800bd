import { useState } from "react";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { keepDraft, readDraft } from "../draft/draft.ts";
import { useDraftKey } from "../draft/use-draft.ts";
import { marksSecrets, withoutSecrets } from "../draft/without-secrets.ts";

type Args = Record<string, unknown>;

interface RunDraft {
  /** The values that were typed and not sent, without secrets. */
  values: Args | undefined;
  /** JSON that was not complete. */
  text: string | undefined;
  keep: (values: Args, text?: string) => void;
  forget: () => void;
}

/** Keeps the arguments that a person types into the form of a script or a flow, until they are sent. */
export function useRunDraft(schema: Args | undefined, ...form: readonly string[]): RunDraft {
  const key = useDraftKey("run", ...form);
  const [{ values, text }] = useState(() => parseRunDraft(readDraft(key)));
  return {
    values,
    text,
    keep: (next, nextText) => keepDraft(key, toRunDraft(schema, next, nextText)),
    forget: () => keepDraft(key, undefined),
  };
}

function parseRunDraft(draft: unknown): Pick<RunDraft, "values" | "text"> {
  const { values, text } = isJsonObject(draft) ? draft : {};
  return { values: isJsonObject(values) ? values : undefined, text: typeof text === "string" ? text : undefined };
}

/** Returns the draft to store. A text that is not JSON can contain a secret anywhere, so it is stored only if the schema has none. */
export function toRunDraft(schema: Args | undefined, values: Args, text: string | undefined): unknown {
  const kept = withoutSecrets(values, schema);
  return kept && { values: kept, ...(text === undefined || marksSecrets(schema) ? {} : { text }) };
}
