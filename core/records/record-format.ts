import type * as z from "zod";
import { parseExactJson } from "../../contract/json/exact-json.ts";
import { isJsonObject } from "../../contract/json/json-object.ts";
import { reportFailure } from "../telemetry/telemetry.ts";

/** A record as a table stores it: its JSON text, under a reference of its owner. */
export interface StoredRecord {
  /** The id of the job, or of another object, to which the record belongs. */
  parent: string;
  ref: string;
  json?: string | undefined;
}

/** A stored record that this release cannot read. It affects only one object: its readers fail only for that object. */
export class UnreadableRecordError extends Error {
  override readonly name = "UnreadableRecordError";
  constructor({ parent, ref }: StoredRecord, options: ErrorOptions) {
    super(`The record ${ref} of ${parent} cannot be read. It is damaged, or another release of svc wrote it.`, options);
  }
}

/** Parses JSON text that is stored with `record`. Throws `UnreadableRecordError` where it does not match the schema. */
export function parseRecord<T>(schema: z.ZodType<T>, record: StoredRecord): T {
  return parseStored(schema, parseJson(record), record);
}

/** Parses a value that was read from `record`. Throws `UnreadableRecordError` where it does not match the schema. */
export function parseStored<T>(schema: z.ZodType<T>, value: unknown, record: StoredRecord): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new UnreadableRecordError(record, { cause: parsed.error });
  return parsed.data;
}

/** Parses a value of any shape that is stored as JSON text. Throws `UnreadableRecordError` for text that is not JSON. */
export function parseJson(record: StoredRecord): unknown {
  try {
    return parseExactJson(record.json ?? "");
  } catch (error) {
    throw new UnreadableRecordError(record, { cause: error });
  }
}

/** The stored form of one kind of records: a JSON object with their fields and the version of their format. */
export interface RecordFormat<T> {
  toJson(value: T): string;
  /** Throws `UnreadableRecordError`, also for a record of a later version. */
  parse(record: StoredRecord): T;
}

interface FormatOptions<T> {
  schema: z.ZodType<T>;
  /** Increased when names or meanings of fields change. `upgrade` must then convert the earlier version. */
  version: number;
  /** Converts the fields of an earlier version to this version; a record without a version has version 0. Example: core/flows/journal.ts. */
  upgrade?: (fields: Record<string, unknown>, version: number) => Record<string, unknown>;
}

/**
 * Defines the stored format of a kind of records.
 *
 * @example
 * const noteFormat = recordFormat({ schema: z.object({ execution: z.number() }), version: 1 });
 * noteFormat.toJson({ execution: 2 }); // {"version":1,"execution":2}
 */
export function recordFormat<T extends object>({ schema, version, upgrade = (fields) => fields }: FormatOptions<T>): RecordFormat<T> {
  return {
    toJson: (value) => JSON.stringify({ version, ...value }),
    parse: (record) => {
      const stored = parseJson(record);
      if (!isJsonObject(stored)) throw new UnreadableRecordError(record, { cause: new Error("The record is not a JSON object.") });
      const { version: found = 0, ...fields } = stored;
      if (typeof found !== "number" || found > version) {
        throw new UnreadableRecordError(record, { cause: new Error(`Version ${String(found)} is not supported.`) });
      }
      return parseStored(schema, found === version ? fields : upgrade(fields, found), record);
    },
  };
}

/** Parses the records that can be read, and reports each of the others: one damaged record does not fail a list. */
export function parseReadable<R extends StoredRecord, T>(records: readonly R[], parse: (record: R) => T): [R, T][] {
  return records.flatMap((record): [R, T][] => {
    try {
      return [[record, parse(record)]];
    } catch (error) {
      if (!(error instanceof UnreadableRecordError)) throw error;
      reportFailure("A stored record could not be read and was skipped", error, { record: record.ref, parent: record.parent });
      return [];
    }
  });
}
