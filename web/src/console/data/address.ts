/** The filters, tabs and selections of an address, as texts. An absent one is the default. */
export type Search = Readonly<Record<string, string | undefined>>;

/** Reads the query of an address. Every value is a text, so that an address written by hand works. */
export const parseSearch = (query: string): Record<string, string> => Object.fromEntries(new URLSearchParams(query));

/** Writes the query of an address. Slashes remain readable, and empty values are left out. */
export function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString().replaceAll("%2F", "/");
  return query === "" ? "" : `?${query}`;
}

/** The views of a script or a flow that have an address. */
export type RunnableView = "show" | "edit" | "history";

/** Splits the rest of an address below `scripts/` or `flows/`. A path has three parts at least, so `f/ops/history` is a path. */
export function splitRunnable(rest: string): { path: string; view: RunnableView } {
  const parts = rest.split("/");
  const last = parts.at(-1);
  if (parts.length > 3 && (last === "edit" || last === "history")) return { path: parts.slice(0, -1).join("/"), view: last };
  return { path: rest, view: "show" };
}

/** The address to which a sign-in returns. Only addresses of this origin count, because a link to the sign-in page may name any. */
export function returnAddress(to: string | undefined): string | undefined {
  return to !== undefined && /^\/(?![/\\])/.test(to) && !to.startsWith("/login") ? to : undefined;
}
