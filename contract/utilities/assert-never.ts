/** Ends a switch over a union: a new member of the union does not compile until every switch handles it. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
