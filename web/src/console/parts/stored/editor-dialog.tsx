import { Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Panel } from "../../frame/panel.tsx";
import { storedText } from "../../messages/objects/stored.ts";
import type { Loaded } from "./use-editor.ts";
import type { StoredSearch } from "./use-stored-search.ts";

interface EditorDialogProps<V extends object> {
  search: StoredSearch;
  /** Whether the user may create and change objects. An address may name an editor that is not offered. */
  mayEdit: boolean;
  newTitle: string;
  /** The values of a new object. */
  blank: V;
  load: (path: string) => Promise<Loaded<V>>;
  size?: string;
  /** The form. `path` is undefined for a new object. */
  children: (loaded: Loaded<V>, path: string | undefined) => ReactNode;
}

/** The dialog in which an object is created or changed. It is open if the address names an object or a new one. */
export function EditorDialog<V extends object>({ search, mayEdit, newTitle, blank, load, size = "lg", children }: EditorDialogProps<V>) {
  const path = mayEdit ? search.edited : undefined;
  return (
    <Modal
      opened={mayEdit && (search.isNew || path !== undefined)}
      onClose={search.closeEditor}
      title={path === undefined ? newTitle : storedText.editOf(path)}
      size={size}
      closeOnClickOutside={false}
    >
      {path === undefined ? children({ values: blank }, undefined) : <Stored key={path} path={path} load={load} form={children} />}
    </Modal>
  );
}

interface StoredProps<V extends object> extends Pick<EditorDialogProps<V>, "load"> {
  path: string;
  form: EditorDialogProps<V>["children"];
}

function Stored<V extends object>({ path, load, form }: StoredProps<V>) {
  // The form begins with the stored version, which is not read again while the user types.
  const loaded = useQuery({
    queryKey: ["editor", path],
    queryFn: () => load(path),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <Panel query={loaded}>{(found) => form(found, path)}</Panel>;
}
