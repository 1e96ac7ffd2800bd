/** Returns the path below which the service answers, from the address of a file of the page. A file under development has another address and none. */
export function basePathOf(file: string): string {
  const [before, after] = new URL(file).pathname.split("/assets/");
  return after === undefined ? "" : (before ?? "");
}

/** It is empty, except at API Gateway's own address. */
export const basePath = basePathOf(import.meta.url);
