import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Refused } from "../../../shared/service.ts";
import { restoreValues } from "../draft/edited-values.ts";
import { useEditedDraft } from "../draft/use-edited-draft.ts";
import { type Choice, type ComparedField, combineVersions, differingFields } from "./compared-fields.ts";
import { type LastChange, readLastChange } from "./conflict/last-change.ts";

/** The values of a form, and the version of the object that they come from. A new object has no version. */
export interface Loaded<V> {
  values: V;
  version?: string | undefined;
}

interface EditorOptions<V extends object> {
  /** Names the draft: the kind of the object, and its path unless it is new. */
  form: readonly [kind: string, path: string | undefined];
  loaded: Loaded<V>;
  /** Returns the values that this browser may store: without secrets, and without those that the form does not show. */
  keepable: (values: V) => Partial<V>;
  /** The fields in which two versions are compared. */
  fields: readonly ComparedField<V>[];
  /** Reads the object again after another person has changed it. */
  reload: () => Promise<Loaded<V>>;
  /** `headers` name the version that is replaced. */
  save: (values: V, headers: Record<string, string>) => Promise<unknown>;
  /** The form can be sent again when the returned promise has ended. */
  onSaved: (values: V) => void | Promise<void>;
}

/** The version of another person. */
interface Theirs<V> extends Loaded<V> {
  /** Absent: the service does not know the author. */
  change?: LastChange | undefined;
}

const replacing = (version: string | undefined): Record<string, string> => (version === undefined ? {} : { "if-match": version });

/**
 * Edits a stored object. A draft keeps the entered values, also for the other tabs of the person. A save replaces only the version that the form
 * was filled from. If another person has saved a newer one, `conflict` contains the differences, and nothing is saved until the user has chosen.
 */
export function useEditor<V extends object>({ form, loaded, keepable, fields, reload, save, onSaved }: EditorOptions<V>) {
  const [kind, path] = form;
  const draft = useEditedDraft(path === undefined ? [kind] : [kind, path], (other) => {
    setValues((current) => restoreValues(current, other.values));
    setRound((round) => round + 1);
  });
  const [isRestored, setIsRestored] = useState(draft.initial !== undefined);
  const [values, setValues] = useState(() => (draft.initial ? restoreValues(loaded.values, draft.initial.values) : loaded.values));
  // An upload that ends later changes the newest values.
  const latest = useRef(values);
  latest.current = values;
  // The draft of an older version is compared with the newer one when it is saved.
  const [version, setVersion] = useState(() => (draft.initial && path !== undefined ? draft.initial.version : loaded.version));
  const [theirs, setTheirs] = useState<Theirs<V>>();
  const [round, setRound] = useState(0);
  const saving = useMutation({
    // The cache forgets a secret value when the dialog closes.
    gcTime: 0,
    mutationFn: async ({ saved, expected }: { saved: V; expected: string | undefined }): Promise<Theirs<V> | undefined> => {
      try {
        await save(saved, replacing(expected));
        return undefined;
      } catch (error) {
        if (!(error instanceof Refused && error.code === "object.versionChanged")) throw error;
        return { ...(await reload()), change: readLastChange(error.change) };
      }
    },
    onSuccess: (newer, { saved }) => {
      if (newer) return setTheirs(newer);
      draft.forget();
      return onSaved(saved);
    },
  });
  /** Other values take the place of the entered ones. */
  const replace = (next: Loaded<V>) => {
    draft.forget();
    setIsRestored(false);
    setValues(next.values);
    setVersion(next.version);
    setTheirs(undefined);
    setRound(round + 1);
  };
  return {
    values,
    change: (changes: Partial<V>) => {
      const next = { ...latest.current, ...changes };
      latest.current = next;
      setValues(next);
      const kept = keepable(next) as Record<string, unknown>;
      if (Object.keys(kept).length > 0) draft.keep({ version, values: kept });
    },
    /** Saves the values, with the last changes of a form that reports them when it is sent. */
    save: (changes?: Partial<V>) => {
      const saved = { ...values, ...changes };
      setValues(saved);
      saving.mutate({ saved, expected: version });
    },
    isSaving: saving.isPending,
    error: saving.error,
    /** Changes when other values take the place of the entered ones. */
    formKey: `${version ?? ""} ${round}`,
    /** The form began with a draft. */
    isRestored,
    /** Removes the draft, and shows the stored values again. */
    discard: () => replace(loaded),
    forget: draft.forget,
    conflict: theirs && {
      fields: differingFields(fields, {
        mine: values,
        theirs: theirs.values,
        base: version === loaded.version ? loaded.values : undefined,
      }),
      change: theirs.change,
      onChoose: (choices: Readonly<Record<string, Choice>>) => {
        const chosen = combineVersions(fields, { mine: values, theirs: theirs.values }, choices);
        setTheirs(undefined);
        setValues(chosen);
        setVersion(theirs.version);
        saving.mutate({ saved: chosen, expected: theirs.version });
      },
      onUseTheirs: () => replace(theirs),
    },
  };
}

export type Editor = Omit<ReturnType<typeof useEditor<object>>, "values" | "change" | "save"> & { save: () => void };
