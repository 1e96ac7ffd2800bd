import type { Answer } from "../../contract/client/client.ts";

/** The maximum number of rows of one request. */
const PER_PAGE = 100;

/** Reads every page of a list with numbered pages. `readPage` reads one page. */
export async function readPages<T>(readPage: (page: { page: number; per_page: number }) => Promise<T[]>): Promise<T[]> {
  const found: T[] = [];
  for (let page = 1; ; page += 1) {
    const rows = await readPage({ page, per_page: PER_PAGE });
    found.push(...rows);
    if (rows.length < PER_PAGE) return found;
  }
}

/** `limit`: the maximum number of rows. `header`: the header of a reply with the position at which the next page begins. */
interface First {
  limit: number;
  header: string;
}

/** Reads the first rows of a list. `readPage` reads the page that begins at a position, or the first page. */
export async function readFirst<T>(
  { limit, header }: First,
  readPage: (from: string | undefined, per_page: number) => Promise<Answer<T[]>>,
): Promise<T[]> {
  const found: T[] = [];
  let from: string | undefined;
  do {
    const { value, headers } = await readPage(from, Math.min(PER_PAGE, limit));
    found.push(...value);
    from = headers.get(header) ?? undefined;
  } while (from !== undefined && found.length < limit);
  return found.slice(0, limit);
}
