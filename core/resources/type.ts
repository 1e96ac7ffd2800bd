import * as z from "zod";
import { defined, mapDefined } from "../../contract/defined.ts";
import type { ResourceTypeJson } from "../../contract/routes/stored/resources.ts";
import { defineObject, inWorkspace } from "../objects/define-object.ts";

/** A resource type of a workspace. Its schema is JSON text, like values. */
export const storedTypeSchema = z.object({
  name: z.string(),
  schemaJson: z.string().optional(),
  description: z.string().optional(),
  formatExtension: z.string().optional(),
  isFileset: z.boolean().optional(),
  displayName: z.string().optional(),
  createdBy: z.string(),
  editedAtMs: z.number(),
  /** Absent in records of earlier releases. */
  editedBy: z.string().optional(),
});
export type StoredType = z.infer<typeof storedTypeSchema>;

/** A type that every workspace has. */
export interface BuiltInType {
  name: string;
  description: string;
  /** Absent: any value is valid. */
  schema?: JsonSchema;
}
export interface JsonSchema {
  type: "object";
  properties: Record<string, Record<string, unknown>>;
  required?: readonly string[];
  order?: readonly string[];
}

/** Returns the JSON of a workspace's resource type. */
export function toResourceTypeJson(workspace: string, type: StoredType): ResourceTypeJson {
  const { name, schemaJson, description, formatExtension, isFileset, displayName, createdBy, editedAtMs, editedBy } = type;
  return {
    workspace_id: workspace,
    name,
    ...defined({ schema: mapDefined(schemaJson, (json) => JSON.parse(json)), description }),
    created_by: createdBy,
    edited_at: new Date(editedAtMs).toISOString(),
    ...defined({ edited_by: editedBy, format_extension: formatExtension, is_fileset: isFileset, display_name: displayName }),
  };
}

/** Returns the JSON of a built-in resource type. */
export function toBuiltInTypeJson({ name, description, schema }: BuiltInType): ResourceTypeJson {
  return { name, description, ...defined({ schema: mapDefined(schema, asJsonSchema) }) };
}

/** Forms show the fields in the order of the catalogue. */
function asJsonSchema(schema: JsonSchema): Record<string, unknown> {
  return { $schema: "https://json-schema.org/draft/2020-12/schema", order: Object.keys(schema.properties), ...schema };
}

export const resourceTypeObject = defineObject({
  name: "resource type",
  partition: "RT",
  ...inWorkspace,
  sort: (name: string) => name,
  schema: storedTypeSchema,
});
