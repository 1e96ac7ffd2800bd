import type * as z from "zod";
import { type JobField, type JobFieldName, jobFields, type Value } from "./fields.ts";

const fieldEntries = Object.entries<JobField>(jobFields) as [JobFieldName, JobField][];
type Source = "query" | "script" | "flow";

/** The fields that a request sets under a name of its source. */
type NamedBy<S extends Source> = {
  [K in JobFieldName]: (typeof jobFields)[K] extends { request: { [N in S]: string } } ? K : never;
}[JobFieldName];
type RequestedName = { [K in JobFieldName]: (typeof jobFields)[K] extends { request: object } ? K : never }[JobFieldName];
type Optional<K extends JobFieldName> = { [N in K]?: Value<(typeof jobFields)[N]> | undefined };

/** The fields of a job that the request for it sets. */
export type RequestedFields = Optional<RequestedName>;
/** The settings of scripts or flows that hold for each of their runs. */
export type RunSettings<S extends "script" | "flow"> = Optional<NamedBy<S>>;

/** A field, and the name under which a source sets it. */
interface NamedField {
  name: JobFieldName;
  from: string;
  unset: number | undefined;
}
const fieldsNamed = (nameIn: (request: NonNullable<JobField["request"]>, name: JobFieldName) => string | undefined): NamedField[] =>
  fieldEntries.flatMap(([name, { request }]) => {
    const from = request && nameIn(request, name);
    return from === undefined ? [] : [{ name, from, unset: request?.unset }];
  });
const requested = fieldsNamed((_, name) => name);
const sources = {
  query: fieldsNamed(({ query }) => query),
  script: fieldsNamed(({ script }) => script),
  flow: fieldsNamed(({ flow }) => flow),
};

function readFields(fields: readonly NamedField[], input: object): object {
  const values = input as Record<string, unknown>;
  const isSet = (value: unknown, unset: number | undefined) => value !== undefined && value !== null && value !== unset;
  return Object.fromEntries(fields.flatMap(({ name, from, unset }) => (isSet(values[from], unset) ? [[name, values[from]]] : [])));
}

/** Returns the fields that a request sets, as the job stores them. */
export const readRequest = (request: RequestedFields): RequestedFields => readFields(requested, request);

/** Returns the fields of a job that a query, or the author of a script or flow, sets. */
export const readSettings = <S extends Source>(source: S, input: object) => readFields(sources[source], input) as Optional<NamedBy<S>>;

/** Returns the settings of a version, or of the job of a version, for another job. */
export function pickSettings<S extends "script" | "flow">(source: S, version: RunSettings<S>): RunSettings<S> {
  const fields: Record<string, unknown> = {};
  for (const { name } of sources[source]) fields[name] = (version as Record<string, unknown>)[name];
  return fields as Optional<NamedBy<S>>;
}

/** The schemas of the settings that a version of a script or flow stores. */
export function settingsShape<S extends "script" | "flow">(source: S) {
  const entries = sources[source].map(({ name }) => [name, jobFields[name].schema.optional()]);
  return Object.fromEntries(entries) as { [K in NamedBy<S>]: z.ZodOptional<(typeof jobFields)[K]["schema"]> };
}

/** The fields of a job that the version of its script or flow determines. */
export const versionFields = fieldEntries.flatMap(([name, { fromVersion, request }]) =>
  fromVersion || request?.script || request?.flow ? [name] : [],
);
