import type * as z from "zod";
import { toIssues } from "../../../contract/errors/issues.ts";
import { SvcError } from "../../../contract/errors.ts";
import type { Payload } from "../../../contract/payload.ts";
import { parseJson } from "../../../core/payload/json.ts";
import { readMultipart } from "../../../core/payload/multipart.ts";
import { parseBody } from "./parse-body.ts";

/**
 * Reads a form with JSON in one part and a bundle in the part `file`. Clients send either part as a field or as a file. Throws `payload.form`,
 * `body.notJson`, `body.tooDeep` and `body.shape`.
 */
export async function readBundleForm<S extends z.ZodType>(
  { headers, bytes }: Payload,
  part: string,
  schema: S,
): Promise<{ body: z.output<S>; file: Buffer }> {
  const form = await readMultipart(headers["content-type"] ?? "", bytes);
  const find = (name: string): Buffer | undefined => {
    const field = form.fields.find(([other]) => other === name)?.[1];
    return field === undefined ? form.files.find(({ argument }) => argument === name)?.bytes : Buffer.from(field);
  };
  const [json, file] = [find(part), find("file")];
  if (!json || !file) throw new SvcError("body.shape", { issues: [{ path: json ? "file" : part, reason: "is missing from the form" }] });
  const value = parseJson(json.toString());
  const parsed = parseBody(schema, value);
  if (!parsed.success) throw new SvcError("body.shape", { issues: toIssues(parsed.error, value) }, { cause: parsed.error });
  return { body: parsed.data, file };
}
