import { SvcError } from "../../contract/errors.ts";
import type { Route } from "../../contract/route.ts";
import type { UnknownField } from "../../contract/unknown-fields.ts";
import type { Reply } from "./reply.ts";

/** Names the fields of a request that had no effect. */
const IGNORED_HEADER = "x-svc-ignored";
/** Maximum length of the header. The names come from the caller. */
const MOST_CHARS = 1000;

/**
 * Returns the names of the fields of a request that its route does not know. Clients send fields of other releases and products, so these are only
 * named. A misspelt field would change the meaning of the request in silence, so it is refused. A webhook's query belongs to its sender, who cannot
 * correct it. Throws `query.invalid` and `body.shape`.
 */
export async function listIgnoredFields(
  { query, body, payload }: Route,
  sentQuery: Record<string, string | undefined>,
  sent: unknown,
): Promise<string[]> {
  if (Object.keys(sentQuery).length === 0 && !body) return [];
  // Loaded with the first fields, so that a start of the function is not slower.
  const { findUnknownFields } = await import("../../contract/unknown-fields.ts");
  const inQuery: UnknownField[] = query
    ? findUnknownFields(query, sentQuery)
    : Object.keys(sentQuery).map((name) => ({ path: [name], known: [], meant: undefined }));
  const inBody = body ? findUnknownFields(body, sent) : [];
  if (!payload) refuseMisspelt(inQuery, "query.invalid");
  refuseMisspelt(inBody, "body.shape");
  return [...new Set([...inQuery, ...inBody].map(({ path }) => path.map(String).join(".")))];
}

function refuseMisspelt(unknown: readonly UnknownField[], code: "query.invalid" | "body.shape"): void {
  const issues = unknown.flatMap(({ path, meant }) =>
    meant === undefined ? [] : [{ path: path.map(String).join("."), reason: `is no known field; did you mean ${meant}?` }],
  );
  if (issues.length > 0) throw new SvcError(code, { issues });
}

/** Adds the names of ignored fields to a reply, as far as a header can hold them. */
export function nameIgnored(reply: Reply, names: readonly string[]): Reply {
  if (names.length === 0) return reply;
  const encoded = names.map((name) => encodeURIComponent(name.toWellFormed()));
  let value = "";
  for (const name of encoded) {
    if (value.length + name.length > MOST_CHARS) {
      value += value === "" ? "..." : ", ...";
      break;
    }
    value += value === "" ? name : `, ${name}`;
  }
  return { ...reply, headers: { ...reply.headers, [IGNORED_HEADER]: value } };
}
