import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { sqs } from "../../../aws/sdk/clients.ts";
import { defined } from "../../../contract/defined.ts";
import { EDGE_KEY_HEADER, env, requireEnv } from "../../../contract/env.ts";
import { buildPathPattern, ROUTES_PREFIX, type Route, type RouteFunction } from "../../../contract/route.ts";
import { routes } from "../../../contract/routes/routes.ts";
import { personKey, userObject } from "../../../core/people/person.ts";
import type { Reply } from "../../../functions/shared/reply/reply.ts";
import type { ExecutionName } from "../../../ports/executions.ts";
import { buildTokenWrites } from "../../../services/identity/tokens/tokens.ts";
import { type Api, apiBy } from "../api/api.ts";
import { newWorkspace, type Workspace } from "../api/workspace.ts";
import { loadFunctions } from "../fuzz/deployed-functions.ts";
import { EDGE_KEY, lambdaContext, toGatewayEvent } from "../fuzz/gateway-event.ts";
import { Cloud } from "./aws/cloud.ts";
import { newWorld, type World } from "./world.ts";
import { housekeep } from "./world-jobs.ts";
import { runScriptsHere } from "./world-scripts.ts";

/** The functions that answer requests, with AWS around them, in the process of the test. */
export interface Service {
  world: World;
  /** A client with the token of the administrator. */
  api: Api;
  /** A workspace of the administrator. */
  ws: Workspace;
  /** The email address of the administrator. */
  email: string;
  /** Answers a request as the deployed functions do. */
  answer(request: Request): Promise<Response>;
  /** Runs housekeeping as it would run that many seconds from now. */
  housekeep(inS?: number): Promise<void>;
  /** Ends the service when nothing moves any more. */
  close(): Promise<void>;
}

const ADMIN = { email: "admin@example.com", username: "admin", superAdmin: true };

/** The time between two deliveries while a call has no reply. */
const WAITS_MS = 10;
/** The time between two readings of the queues while no function sends a message. */
const RECEIVES_MS = 500;

/**
 * Loads functions over a world with the real time, whose TypeScript scripts run in this process. Requests pass from the event of API Gateway to
 * the tables as they do when they are deployed.
 */
export async function startService(names: readonly RouteFunction[]): Promise<Service> {
  const world = await newWorld();
  followTime(world);
  watchQueues(world);
  runScriptsHere(world);
  const cloud = new Cloud(world);
  const { handlers, close } = await loadFunctions(names, {
    run: async (request) => {
      const invocation = await world.answers.run(request);
      if (invocation.kind !== "outcome") throw new Error(`The runner has the fault ${invocation.kind}.`);
      return invocation.outcome;
    },
    stepFunctions: (target, body) => answerStepFunctions(world, target, body),
  });
  let isWanted = false;
  let playing: Promise<void> | undefined;
  /** Delivers messages until nothing moves, also those that a function sends after the last reading of the queues. */
  const play = (): Promise<void> => {
    isWanted = true;
    playing ??= (async () => {
      try {
        while (isWanted) {
          isWanted = false;
          await cloud.playUntilQuiet();
        }
      } finally {
        playing = undefined;
      }
    })();
    return playing;
  };
  const faults: unknown[] = [];
  const deliver = () => void play().catch((fault: unknown) => faults.push(fault));
  const requireNoFault = () => {
    if (faults.length > 0) throw new Error("The simulation of AWS around the functions has failed.", { cause: faults[0] });
  };
  // Some messages have a delay.
  const receiving = setInterval(() => {
    world.noteSent();
    deliver();
  }, RECEIVES_MS).unref();
  const send = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    const fn = findFunction(request.method, pathname);
    const handler = handlers.get(fn);
    if (!handler) throw new Error(`The test has not loaded the function ${fn} for ${request.method} ${pathname}.`);
    const body = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
    const headers = [...request.headers, ["x-forwarded-for", "192.0.2.1, 198.51.100.1"] as const, [EDGE_KEY_HEADER, EDGE_KEY] as const];
    const event = toGatewayEvent({ method: request.method, path: pathname, headers, query: [...searchParams], ...defined({ body }) });
    let isPending = true;
    const answering = handler(event, lambdaContext)
      .then(toResponse)
      .finally(() => {
        isPending = false;
      });
    while (isPending) {
      await Promise.race([answering, wait()]);
      requireNoFault();
      deliver();
    }
    return answering;
  };
  const admin = { ...ADMIN, createdAtMs: world.clock.nowMs };
  await world.deps.objects.put({ ...userObject.key(personKey(ADMIN.email)), value: admin });
  const { value: token, writes } = buildTokenWrites(ADMIN, {} as Parameters<typeof buildTokenWrites>[1], world.clock.nowMs);
  await world.deps.objects.transactWrite(writes);
  const api = apiBy(send, { url: "https://svc.example", token });
  const ws = await newWorkspace(api);
  return {
    world: { ...world, workspace: ws.id },
    api,
    ws,
    email: ADMIN.email,
    answer: send,
    async housekeep(inS = 0) {
      await housekeep({ ...world, deps: { ...world.deps, nowMs: () => Date.now() + inS * 1000 } });
      deliver();
    },
    async close() {
      clearInterval(receiving);
      // `deliver` has noted the fault of a failed one.
      await playing?.catch(() => undefined);
      close();
      requireNoFault();
    },
  };
}

/** A server for programs, which call a service in the process of the test. */
export interface Server {
  url: string;
  close(): void;
}

export async function serve({ answer }: Service): Promise<Server> {
  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const headers = Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    const { method = "GET", url = "/" } = request;
    const reply = await answer(new Request(`http://127.0.0.1${url}`, { method, headers, ...(body.length > 0 ? { body } : {}) }));
    response.writeHead(reply.status, [...reply.headers].flat()).end(Buffer.from(await reply.arrayBuffer()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const wait = () => new Promise((resolve) => setTimeout(resolve, WAITS_MS));

/** Lets the clock of a world show the real time, which a test may still move. */
function followTime({ clock }: World): void {
  let aheadMs = 0;
  Object.defineProperty(clock, "nowMs", {
    get: () => Date.now() + aheadMs,
    set: (nowMs: number) => {
      aheadMs = nowMs - Date.now();
    },
  });
}

/** Notes the messages that functions send. */
function watchQueues(world: World): void {
  sqs().middlewareStack.add(
    (next, { commandName = "" }) =>
      async (request) => {
        const reply = await next(request);
        if (commandName.startsWith("SendMessage")) world.noteSent();
        return reply;
      },
    { step: "initialize", name: "svcNoteMessages", override: true },
  );
}

const all = Object.values<Route>(routes)
  .map((route) => ({ route, pattern: buildPathPattern(route), literals: route.path.replaceAll(/\{\w+\+?\}/g, "").length }))
  .toSorted((a, b) => b.literals - a.literals);

function findFunction(method: string, path: string): RouteFunction {
  if (path.startsWith(`${ROUTES_PREFIX}/`)) return "routes";
  const found = all.filter(({ pattern }) => pattern.test(path.replace("/job_u/", "/jobs_u/")));
  const { route } = found.find(({ route }) => route.method === method) ?? found[0] ?? {};
  if (!route) throw new Error(`No function answers ${method} ${path}.`);
  return route.fn;
}

async function toResponse({ statusCode, headers = {}, multiValueHeaders = {}, body, isBase64Encoded, chunks }: Reply): Promise<Response> {
  const replyHeaders = new Headers();
  for (const [name, value] of Object.entries(headers)) replyHeaders.set(name, String(value));
  for (const [name, values] of Object.entries(multiValueHeaders)) for (const value of values) replyHeaders.append(name, String(value));
  const parts: string[] = [];
  if (chunks) for await (const part of chunks(new AbortController().signal)) parts.push(part);
  const whole = chunks ? parts.join("") : isBase64Encoded ? Buffer.from(body, "base64") : body;
  return new Response([204, 205, 304].includes(statusCode) ? null : whole, { status: statusCode, headers: replyHeaders });
}

/** Passes the calls that functions make of Step Functions to the executions of a world. */
function answerStepFunctions({ deps: { executions }, started, resumed }: World, target: string, text: string): object {
  const { executionArn, taskToken, output, ...start } = JSON.parse(text) as Record<string, string>;
  const operation = target.split(".").at(-1);
  if (operation === "SendTaskSuccess") {
    resumed.push({ token: taskToken ?? "", output: JSON.parse(output ?? "{}") as object });
    return {};
  }
  const arn = executionArn ?? `${start["stateMachineArn"]?.replace(":stateMachine:", ":execution:")}:${start["name"]}`;
  const [machine = "", name = ""] = arn.slice(`${requireEnv(env.statesArn)}:execution:`.length).split(":");
  const [job = "", execution = ""] = name.split(".");
  const named: ExecutionName = { machine, job, execution: Number(execution) };
  if (operation === "StartExecution") void executions.startExecution(named, JSON.parse(start["input"] ?? "{}"));
  if (operation === "StopExecution") void executions.stopExecution(named, "");
  const is = started.find((one) => one.job === job && one.execution === named.execution)?.is;
  const [status, atS] = [is === "running" ? "RUNNING" : is === "stopped" ? "ABORTED" : "SUCCEEDED", Date.now() / 1000];
  return { executionArn: arn, name, status, startDate: atS, stopDate: atS };
}
