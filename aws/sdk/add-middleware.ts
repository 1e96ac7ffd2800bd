/** The part of an SDK client that takes middleware. The clients' own types differ by service. */
export interface ClientWithMiddleware {
  middlewareStack: { add(middleware: never, options: never): void };
}

interface MiddlewareOptions {
  name: string;
  step: "initialize" | "serialize" | "build" | "deserialize";
  priority: "high";
}

/** Wraps each call of a client. `args` and `context` have the fields of that step (https://smithy.io), of which `wrap` names those that it uses. */
export function addMiddleware<Args, Result, Context>(
  { middlewareStack }: ClientWithMiddleware,
  options: MiddlewareOptions,
  wrap: (next: (args: Args) => Promise<Result>, context: Context) => (args: Args) => Promise<Result>,
): void {
  // No type fits the stacks of all clients: each names its commands.
  middlewareStack.add(wrap as never, options as never);
}
