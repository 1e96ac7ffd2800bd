const PER_PAGE = 1000;

/** Reads all pages of a list. */
export async function readPages<T>(load: (query: { page: number; per_page: number }) => Promise<T[]>): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; ; page += 1) {
    const found = await load({ page, per_page: PER_PAGE });
    all.push(...found);
    if (found.length < PER_PAGE) return all;
  }
}
