import * as z from "zod";
import { parseStored } from "../records/record-format.ts";
import { defineObject, inWorkspace } from "./define-object.ts";
import { parseJsonValue } from "./json-value.ts";
import type { ObjectKey, StoredObject } from "./write.ts";

/** A setting of a workspace, by its name in the workspace's settings. */
export const settingObject = defineObject({
  name: "setting",
  partition: "SETTINGS",
  ...inWorkspace,
  sort: (name: string) => name,
  schema: z.unknown(),
});

export const instanceSettingObject = defineObject({
  name: "setting of the instance",
  partition: "SETTINGS",
  sort: (name: string) => name,
  belongsTo: "none",
  schema: z.unknown(),
});

/** A setting with the schema of its value. */
interface Setting<P extends unknown[], T> {
  readonly name: string;
  key(...parts: P): ObjectKey;
  /** Throws `UnreadableRecordError`. */
  parse(stored: StoredObject): T;
}

const parseSetting = <T>(schema: z.ZodType<T>, { pk, sk, value }: StoredObject): T => parseStored(schema, value, { parent: pk, ref: sk });

/** Defines a setting of a workspace. */
export const defineSetting = <T>(name: string, schema: z.ZodType<T>): Setting<[workspace: string], T> => ({
  name,
  key: (workspace) => settingObject.key(workspace, name),
  parse: (stored) => parseSetting(schema, stored),
});

/** Defines a setting of a workspace whose value is stored as JSON text, because its keys may have any names. */
export const defineJsonSetting = <T>(name: string, schema: z.ZodType<T>): Setting<[workspace: string], T> => ({
  name,
  key: (workspace) => settingObject.key(workspace, name),
  parse: (stored) => parseJsonValue(schema, stored),
});

/** Defines a setting of the instance. */
export const defineInstanceSetting = <T>(name: string, schema: z.ZodType<T>): Setting<[], T> => ({
  name,
  key: () => instanceSettingObject.key(name),
  parse: (stored) => parseSetting(schema, stored),
});
