import { SvcError } from "../../contract/errors.ts";
import { describeSchemaProblem } from "./value-check.ts";

type Schema = Record<string, unknown>;

/** Maximum size of a schema for checking arguments, as JSON. It is read with each run. */
const SCHEMA_BYTES_MOST = 64 * 1024;

/** Returns the schema with which the arguments of a version are checked. Throws `body.shape` if there is none, or if it cannot be used. */
export function requireInputSchema(schema: Schema | undefined): Schema {
  if (!schema) throw refusal("validate_input", "has no effect without a schema, which cannot be inferred here. Add the field schema");
  const problem = describeSchemaProblem(schema);
  if (problem !== undefined) throw refusal("schema", `cannot be used for validate_input: ${problem}`);
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > SCHEMA_BYTES_MOST) throw refusal("schema", `must be at most ${SCHEMA_BYTES_MOST / 1024} KB large for validate_input`);
  return schema;
}

const refusal = (path: string, reason: string) => new SvcError("body.shape", { issues: [{ path, reason }] });
