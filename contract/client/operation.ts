import type { z } from "zod";
import type { routes } from "../routes/routes.ts";

// The browser and the CLI read this file by its types alone: a value of the routes would bring every schema into their bundles.
type Routes = typeof routes;
type ByName = { [K in keyof Routes as Routes[K]["name"]]: Routes[K] };

/** The name of a route, such as `variables.get`. */
export type OperationName = keyof ByName;

/** A value that an address can contain. Numbers and flags, which a schema reads from text, are given as such. */
type Sendable<Input, Output> = unknown extends Input
  ? Extract<Output, string | number | boolean | undefined>
  : Input | Extract<Output, number | boolean>;
type Sent<S extends z.ZodType, Input = z.input<S>, Output = z.output<S>> = {
  [K in keyof Input]: Sendable<Input[K], K extends keyof Output ? Output[K] : never>;
};

type Params<R> = R extends { readonly params: infer S extends z.ZodType } ? Sent<S> : unknown;
type Query<R> = R extends { readonly query: infer S extends z.ZodType } ? Partial<Sent<S>> : undefined;
type WithBody<R> = R extends { readonly body: infer S extends z.ZodType }
  ? undefined extends z.input<S>
    ? { body?: z.input<S> }
    : { body: z.input<S> }
  : R extends { readonly payload: true }
    ? { body?: unknown }
    : { body?: undefined };

/** The options that every call accepts. */
export interface CallOptions {
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

/** The parts of an address. Those that the client knows can be left out. */
type Known<P, Bound extends string> = { [K in keyof P as K extends Bound ? never : K]: P[K] } & {
  [K in keyof P as K extends Bound ? K : never]?: P[K];
};

/** The input of a call: the parts of the address by their names, `query` and `body`. `Bound`: parts that the client knows. */
export type CallInput<N extends OperationName, Bound extends string = never> = Known<Params<ByName[N]>, Bound> & {
  query?: { [K in keyof Query<ByName[N]>]: Query<ByName[N]>[K] | undefined };
} & WithBody<ByName[N]> &
  CallOptions;

/** The input as an argument, which is optional if no field is required. */
export type CallArguments<N extends OperationName, Bound extends string = never> =
  Record<never, never> extends CallInput<N, Bound> ? [input?: CallInput<N, Bound>] : [input: CallInput<N, Bound>];

/** The value of a successful reply: the parsed JSON or the text. Streams and files are read from the response. */
export type Reply<N extends OperationName> = ByName[N]["reply"] extends { readonly json: infer S extends z.ZodType }
  ? z.output<S>
  : ByName[N]["reply"] extends { readonly text: string }
    ? string
    : unknown;

/** The JSON body of a route, for values whose fields only the service checks. */
export type Body<N extends OperationName> = ByName[N] extends { readonly body: infer S extends z.ZodType } ? z.input<S> : unknown;

/** The first words of names, and the rest of the names that begin with one. */
type First<N> = N extends `${infer Word}.${string}` ? Word : N;
type Rest<N, Word extends string> = N extends `${Word}.${infer Tail}` ? Tail : never;

/** Functions by the words of their names: `{ "variables.get": F }` becomes `{ variables: { get: F } }`. */
export type Nested<T> = {
  [Word in First<keyof T> & string]: (Word extends keyof T ? T[Word] : unknown) &
    (Rest<keyof T, Word> extends never ? unknown : Nested<{ [K in keyof T as Rest<K, Word>]: T[K] }>);
};
