import { SvcError } from "../../../contract/errors.ts";
import { findUnknownFields, type UnknownField } from "../../../contract/json/unknown-fields.ts";
import type { Route } from "../../../contract/route.ts";

/** Maximum length of the header that names ignored fields. The names come from the caller. */
const MOST_CHARS = 1000;

type Query = Readonly<Record<string, string | undefined>>;

/**
 * Returns the headers that name the fields of a request that its route does not know. Clients send fields of other releases and products, so
 * these are only named. A misspelt field would silently change the meaning of the request, so it is refused. A webhook's query belongs to its
 * sender, who cannot correct it. Throws `query.invalid` and `body.shape`.
 */
export function checkFields({ query, body, payload }: Route, sentQuery: Query, rawBody: unknown): Record<string, string> {
  const inQuery: UnknownField[] = query
    ? findUnknownFields(query, sentQuery)
    : Object.keys(sentQuery).map((name) => ({ path: [name], knownNames: [], meant: undefined }));
  const inBody = body ? findUnknownFields(body, rawBody) : [];
  if (!payload) refuseMisspelt(inQuery, "query.invalid");
  refuseMisspelt(inBody, "body.shape");
  const ignored = [...new Set([...inQuery, ...inBody].map(formatPath))];
  return ignored.length === 0 ? {} : { "x-svc-ignored": formatNames(ignored) };
}

const formatPath = ({ path }: UnknownField) => path.map(String).join(".");

function refuseMisspelt(unknown: readonly UnknownField[], code: "query.invalid" | "body.shape"): void {
  const issues = unknown.flatMap((field) =>
    field.meant === undefined ? [] : [{ path: formatPath(field), reason: `is no known field; did you mean ${field.meant}?` }],
  );
  if (issues.length > 0) throw new SvcError(code, { issues });
}

/** Returns as many names as fit a header. */
function formatNames(names: readonly string[]): string {
  const listed: string[] = [];
  let chars = 0;
  for (const name of names) {
    const encoded = encodeURIComponent(name.toWellFormed());
    chars += encoded.length + 2;
    if (chars > MOST_CHARS) return [...listed, "..."].join(", ");
    listed.push(encoded);
  }
  return listed.join(", ");
}
