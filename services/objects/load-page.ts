import { sortByPath } from "../../core/objects/define-object.ts";
import { type PageQuery, pageBounds } from "../../core/objects/page.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import type { Uses } from "../uses.ts";

/** The first request reads this many objects: enough for a page of a list of which the caller sees nearly everything. */
const FIRST_READ = 200;

/** A kind of objects whose sort keys are their paths. `P`: the parts of its partition key. */
interface PathKind<P extends unknown[], T> {
  partitionKey(...parts: P): string;
  parseReadable(stored: readonly StoredObject[]): T[];
}

interface Listed<P extends unknown[], T> {
  kind: PathKind<P, T>;
  /** The parts of the partition key: the workspace, and others that the kind has. */
  parts: P;
  /** Whether the caller may see an object at a path. */
  isVisible: (path: string) => boolean;
  matches: (value: T) => boolean;
}

/**
 * Loads one page of the objects that the caller may see and that match, by path. It reads the partition only as far as the page needs. An
 * unreadable object is left out.
 */
export async function loadPage<P extends unknown[], T extends { path: string }>(
  { objects }: Uses<"objects">,
  { kind, parts, isVisible, matches }: Listed<P, T>,
  query: PageQuery,
): Promise<T[]> {
  const [start, end] = pageBounds(query);
  const pk = kind.partitionKey(...parts);
  const found: T[] = [];
  let read = await objects.listAfter(pk, { after: undefined, limit: FIRST_READ });
  for (;;) {
    found.push(...kind.parseReadable(read.objects).filter((value) => isVisible(value.path) && matches(value)));
    if (read.after === undefined || found.length >= end) return found.slice(start, end);
    read = await objects.listAfter(pk, { after: read.after });
  }
}

interface PathQuery {
  path_exact?: string | undefined;
  path_start?: string | undefined;
}

/**
 * Loads the objects of a kind for a list that is not sorted by path: the object at the path of the query, or those whose paths begin as it states,
 * otherwise all. An unreadable object is left out.
 */
export async function loadAtPaths<T>(
  { objects }: Uses<"objects">,
  kind: PathKind<[workspace: string], T>,
  workspace: string,
  { path_exact: exact, path_start: start }: PathQuery = {},
): Promise<T[]> {
  const at = exact && sortByPath(exact);
  const range = at ? { between: [at, at] as [string, string] } : start ? { beginsWith: sortByPath(start) } : {};
  return kind.parseReadable(await objects.list(kind.partitionKey(workspace), range));
}
