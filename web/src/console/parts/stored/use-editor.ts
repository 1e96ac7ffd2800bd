import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "../../../shared/service.ts";

/** The values of a form, and the version of the object that they come from. A new object has no version. */
export interface Loaded<V> {
  values: V;
  version?: string | undefined;
}

interface EditorOptions<V> {
  loaded: Loaded<V>;
  /** Reads the object again after another person has changed it. */
  reload: () => Promise<Loaded<V>>;
  /** `headers` name the version that is replaced. */
  save: (values: V, headers: Record<string, string>) => Promise<unknown>;
  onSaved: (values: V) => void;
}

const replacing = (version: string | undefined): Record<string, string> => (version === undefined ? {} : { "if-match": version });

/**
 * Edits a stored object. A save replaces only the version that the form was filled from. If another person has saved a newer one, `theirs`
 * contains it, and nothing is saved until the user has chosen.
 */
export function useEditor<V extends object>({ loaded, reload, save, onSaved }: EditorOptions<V>) {
  const [values, setValues] = useState(loaded.values);
  const [version, setVersion] = useState(loaded.version);
  const [theirs, setTheirs] = useState<Loaded<V>>();
  const saving = useMutation({
    // The cache forgets a secret value when the dialog closes.
    gcTime: 0,
    mutationFn: async ({ saved, expected }: { saved: V; expected: string | undefined }) => {
      try {
        await save(saved, replacing(expected));
        return undefined;
      } catch (error) {
        if (!(error instanceof Refused && error.code === "object.versionChanged")) throw error;
        return reload();
      }
    },
    onSuccess: (newer, { saved }) => (newer ? setTheirs(newer) : onSaved(saved)),
  });
  return {
    values,
    change: (changes: Partial<V>) => setValues((current) => ({ ...current, ...changes })),
    /** Saves the values, with the last changes of a form that reports them when it is sent. */
    save: (changes?: Partial<V>) => {
      const saved = { ...values, ...changes };
      setValues(saved);
      saving.mutate({ saved, expected: version });
    },
    isSaving: saving.isPending,
    error: saving.error,
    theirs: theirs?.values,
    /** Changes when other values take the place of the entered ones. */
    formKey: version ?? "",
    useMine: () => {
      setTheirs(undefined);
      setVersion(theirs?.version);
      saving.mutate({ saved: values, expected: theirs?.version });
    },
    useTheirs: () => {
      if (theirs) setValues(theirs.values);
      setVersion(theirs?.version);
      setTheirs(undefined);
    },
  };
}

export type Editor<V extends object> = ReturnType<typeof useEditor<V>>;
