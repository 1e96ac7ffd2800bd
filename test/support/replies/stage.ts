import { EDGE_KEY_HEADER } from "../../../contract/env.ts";
import type { RouteFunction } from "../../../contract/route.ts";
import { personKey, userObject } from "../../../core/people/person.ts";
import type { Reply } from "../../../functions/shared/reply/reply.ts";
import { buildTokenWrites } from "../../../services/identity/tokens/tokens.ts";
import { addMember } from "../../../services/workspaces/add-member.ts";
import type { Handler } from "../fuzz/deployed-functions.ts";
import { EDGE_KEY, lambdaContext, type Sent, toGatewayEvent } from "../fuzz/gateway-event.ts";
import { fillPath } from "../fuzz/operations.ts";
import { loadStoredState } from "../use-cases/stored/stored-state.ts";
import { newWorld, success, type World } from "../use-cases/world.ts";
import { playExecutions } from "../use-cases/world-flows.ts";
import { addWorkspace, work } from "../use-cases/world-jobs.ts";
import { findRoute, type Parts, type Stage } from "./exchange.ts";
import type { StoredInstance } from "./stored/instance-state.ts";

/** The time at which each recording begins. */
const BEGIN_MS = Date.UTC(2031, 4, 6, 7, 8, 9);
const PEOPLE = {
  ann: { email: "ann@example.com", username: "ann", superAdmin: true },
  bob: { email: "bob@example.com", username: "bob", superAdmin: false },
};

type Handlers = ReadonlyMap<RouteFunction, Handler>;
/** Lets the process have the clock of a recording. */
type SetClock = (nowMs: () => number) => void;

/**
 * Creates the place of one recording: an empty instance with one workspace, its administrator, and an operator without rights. Each recording has
 * another workspace, because modules remember the keys of a workspace.
 */
export async function newStage(workspace: string, handlers: Handlers, setClock: SetClock): Promise<Stage> {
  const world = { ...(await newWorld()), workspace };
  const { deps, clock } = world;
  clock.nowMs = BEGIN_MS;
  setClock(() => clock.nowMs);
  await addWorkspace(world);
  await addMember(deps, workspace, { email: PEOPLE.bob.email, username: "bob", is_admin: false, operator: true }, { inherits: false });
  const kept: Record<string, string> = {};
  for (const sender of ["ann", "bob"] as const) {
    const person = { ...PEOPLE[sender], createdAtMs: clock.nowMs };
    await deps.objects.put({ ...userObject.key(personKey(person.email)), value: person });
    const { value, writes } = buildTokenWrites(person, { label: sender } as Parameters<typeof buildTokenWrites>[1], clock.nowMs);
    await deps.objects.transactWrite(writes);
    kept[`tokenOf${sender}`] = value;
  }
  return toStage(world, handlers, kept);
}

/** Creates the place of a recording that begins with stored state, and with the values that the replies of its requests left. */
export async function newStoredStage(state: StoredInstance, handlers: Handlers, setClock: SetClock): Promise<Stage> {
  const world = { ...(await newWorld()), workspace: state.workspace };
  await loadStoredState(world, state);
  setClock(() => world.clock.nowMs);
  return toStage(world, handlers, { ...state.kept });
}

function toStage(world: World, handlers: Handlers, kept: Record<string, string>): Stage {
  const { workspace, answers } = world;
  answers.build = async () => ({ ok: true, lock: "", sha256: "0".repeat(64), bytes: 1, log: "built\n" });
  // Nothing connects to sources outside, as with the handlers.
  const ignore = async () => undefined;
  const ignored = { startConnecting: ignore, startPolling: ignore, startRefreshing: ignore, startRotating: ignore };
  Object.assign(world.deps.functions, ignored);
  answers.run = async ({ args }) => success((args as { x?: unknown }).x ?? "done");
  const call = async (fn: RouteFunction, { headers = [], ...sent }: Sent): Promise<Reply> => {
    const edge = [["X-Forwarded-For", "192.0.2.1, 198.51.100.1"] as const, [EDGE_KEY_HEADER, EDGE_KEY] as const];
    const reply = await handlers.get(fn)?.(toGatewayEvent({ ...sent, headers: [...headers, ...edge] }), lambdaContext);
    if (!reply) throw new Error(`The function ${fn} does not answer.`);
    return reply;
  };
  return {
    world,
    kept,
    work: async () => {
      await work(world);
      await playExecutions(world);
      await work(world);
    },
    send: ({ route: key, parts }) => {
      const route = findRoute(key);
      const { params, query = {}, headers = {}, json, text, from = "ann", token = kept[`tokenOf${from}`] } = fillIn(parts, kept);
      const body = json === undefined ? text : JSON.stringify(json);
      return call(route.fn, {
        method: route.method,
        path: fillPath(route, { workspace, ...toTexts(params) }),
        query: Object.entries(toTexts(query)),
        headers: Object.entries({
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...(json === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        }),
        ...(body === undefined ? {} : { body: Buffer.from(body) }),
      });
    },
    callHttpRoute: (address, json, headers = {}) =>
      call("routes", {
        method: "POST",
        path: `/api/r/${address}`,
        headers: Object.entries({ "Content-Type": "application/json", ...headers }),
        body: Buffer.from(JSON.stringify(json)),
      }),
  };
}

const toTexts = (values: Readonly<Record<string, string | number | boolean>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

/** Replaces `<name>` by the value that an earlier reply left, in all texts. */
function fillIn(parts: Parts, kept: Readonly<Record<string, string>>): Parts {
  const { keep, show, ...sent } = parts;
  const fill = (value: unknown): unknown => {
    if (typeof value === "string") return value.replace(/<(\w+)>/g, (whole, name: string) => kept[name] ?? whole);
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner)]));
  };
  return fill(sent) as Parts;
}
