/** A JSON object. The editor retains the fields that are not declared. */
type Fields = { readonly [field: string]: unknown };

/** A step of a flow. The editor keeps each field, and each kind of step, that it does not know. */
export interface Module extends Fields {
  readonly id: string;
  readonly summary?: string | null;
  readonly value: ModuleValue;
}
export interface ModuleValue extends Fields {
  readonly type: string;
}

/** The value of a flow: its steps and its settings. */
export interface FlowValue extends Fields {
  readonly modules: readonly Module[];
  readonly failure_module?: Module | null;
  readonly preprocessor_module?: Module | null;
}

/** The fields of a flow that a save stores, except its path. */
export interface FlowDocument extends Fields {
  readonly summary: string;
  readonly description?: string | null;
  readonly value: FlowValue;
  readonly schema?: Fields | null;
}

/** The fields of a stored flow that the service sets, or that are no part of its content. */
const NOT_EDITED = new Set([
  ...["path", "workspace_id", "edited_by", "edited_at", "archived", "extra_perms", "starred", "version_id", "hash"],
  ...["lock_error_logs", "draft", "draft_created_at"],
]);

/** Returns the document of a stored flow. Saving it unchanged stores the same flow. */
export const documentOf = (stored: Fields & { readonly value: unknown }): FlowDocument =>
  Object.fromEntries(Object.entries(stored).filter(([name]) => !NOT_EDITED.has(name))) as FlowDocument;

export const NEW_DOCUMENT: FlowDocument = { summary: "", value: { modules: [] } };
