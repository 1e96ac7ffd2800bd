/**
 * Returns the path below which the service answers, from the address of a file of the page. During development, files have another address, and
 * there is no such path.
 */
export function basePathOf(file: string): string {
  const [before, after] = new URL(file).pathname.split("/assets/");
  return after === undefined ? "" : (before ?? "");
}

/** Empty, except at API Gateway's own address. */
export const basePath = basePathOf(import.meta.url);
