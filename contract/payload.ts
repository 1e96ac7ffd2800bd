/** A request of a run route, whose body may be anything. */
export interface Payload {
  method: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  query: Readonly<Record<string, readonly string[] | undefined>>;
  bytes: Buffer;
}
