import type { Route } from "../../../contract/route.ts";
import { routes } from "../../../contract/routes/routes.ts";
import type { Reply } from "../../../functions/shared/reply/reply.ts";
import type { World } from "../use-cases/world.ts";

/** The key of a route in the contract. Those of triggers are built from the names of the kinds. */
export type RouteKey = keyof typeof routes | `${string}_triggers.${string}`;

const all: Readonly<Record<string, Route>> = routes;
export function findRoute(key: RouteKey): Route {
  const route = all[key];
  if (!route) throw new Error(`There is no route ${key}.`);
  return route;
}

/** The senders of requests: the administrator, an operator without rights, and a caller without a token. */
export type Sender = "ann" | "bob" | "nobody";

/** The parts of a request other than its route. In every text, `<name>` is replaced by the value that an earlier reply left under this name. */
export interface Parts {
  /** The parts of the path. The workspace is that of the recording, unless it is named. */
  params?: Readonly<Record<string, string | number>>;
  query?: Readonly<Record<string, string | number | boolean>>;
  headers?: Readonly<Record<string, string>>;
  /** A body that is sent as JSON. */
  json?: unknown;
  /** A body that is sent as it is. */
  text?: string;
  /** Default: the administrator. */
  from?: Sender;
  /** Another token of the sender. */
  token?: string;
  /** The values that later requests need, from the body of the reply. */
  keep?: Readonly<Record<string, (body: string) => unknown>>;
  /** The part of a long body that is recorded, if another test compares the rest. */
  show?: (body: string) => string;
  /** Lets the queued jobs run while the reply is awaited. */
  works?: true;
  /** Bob does not send this request first, because it would succeed and change what the sender needs. */
  alone?: true;
}

/** A request of the recording. A good one succeeds, a bad one is refused. */
export interface Exchange {
  route: RouteKey;
  kind: "good" | "bad";
  parts: Parts;
}

/** Something that happens between two requests. */
export type Event = (stage: Stage) => Promise<unknown>;

/** The place of a recording. */
export interface Stage {
  world: World;
  /** The values that replies left. */
  kept: Record<string, string>;
  send: (exchange: Exchange) => Promise<Reply>;
  /** Calls the HTTP route of a user at an address below `/api/r/`. */
  callHttpRoute: (address: string, json: unknown, headers?: Readonly<Record<string, string>>) => Promise<Reply>;
  /** Runs the queued jobs and the flows. */
  work: () => Promise<void>;
}

/** The requests of one domain, in their order. */
export type Steps = readonly (Exchange | Event)[];

export const good = (route: RouteKey, parts: Parts = {}): Exchange => ({ route, kind: "good", parts });
export const bad = (route: RouteKey, parts: Parts = {}): Exchange => ({ route, kind: "bad", parts });
export const isExchange = (step: Exchange | Event): step is Exchange => typeof step !== "function";

/** Keeps the whole body. */
export const whole = (body: string): string => body;
/** Keeps a field of the JSON body, or of the first item of a list. */
export const field =
  (name: string) =>
  (body: string): unknown => {
    const json = JSON.parse(body) as Record<string, unknown> | Record<string, unknown>[];
    return (Array.isArray(json) ? json[0] : json)?.[name];
  };
/** Lets the queued jobs run. */
export const work: Event = (stage) => stage.work();
/** A request that succeeds, and that is refused without a token. */
export const closed = (route: RouteKey, parts: Parts = {}): Exchange[] => {
  const { keep, works, ...same } = parts;
  return [good(route, parts), bad(route, { ...same, from: "nobody" })];
};
/** A request that succeeds, and one that names what does not exist. */
export const found = (
  route: RouteKey,
  params: NonNullable<Parts["params"]>,
  unknown: NonNullable<Parts["params"]>,
  parts: Parts = {},
): Exchange[] => {
  const { keep, works, ...same } = parts;
  return [good(route, { ...parts, params }), bad(route, { ...same, params: unknown })];
};
