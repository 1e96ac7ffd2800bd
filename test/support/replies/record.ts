import type { Route } from "../../../contract/route.ts";
import type { Reply } from "../../../functions/shared/reply/reply.ts";
import { type Exchange, findRoute, isExchange, type Parts, type Sender, type Stage, type Steps } from "./exchange.ts";
import { createPlaceholders } from "./placeholders.ts";

/** The headers of every reply. The recording names only those that differ. */
const COMMON = [
  "Referrer-Policy: no-referrer",
  "Strict-Transport-Security: max-age=15552000; includeSubDomains",
  "X-Content-Type-Options: nosniff",
  "X-Frame-Options: DENY",
  "cache-control: no-store",
];

/** The result of a recording: the text of its file, and the good requests that were refused and the bad ones that were not. */
export interface Recording {
  text: string;
  faults: string[];
}

/**
 * Sends the requests of a domain one after the other, each a second later than the one before it, and writes down the replies. Bob sends each
 * good request of the administrator first, unless `isTried` is false: the right to it is compared too.
 */
export async function record(stage: Stage, steps: Steps, { isTried = true } = {}): Promise<Recording> {
  const [hide, parts, faults] = [createPlaceholders(), [] as string[], [] as string[]];
  const tried = new Set<string>();
  const send = async (exchange: Exchange): Promise<Answer> => {
    stage.world.clock.nowMs += 1000;
    const answer = await sendOne(stage, exchange);
    parts.push(hide(render(stage, exchange, answer)));
    return answer;
  };
  for (const step of steps) {
    if (!isExchange(step)) {
      await step(stage);
      continue;
    }
    const { route, kind, parts: sent } = step;
    if (isTried && kind === "good" && !tried.has(route) && isOfAdministrator(step)) {
      const { keep, ...rest } = sent;
      await send({ ...step, parts: { ...rest, from: "bob" } });
    }
    if (kind === "good") tried.add(route);
    const { reply, body } = await send(step);
    if (kind === "good" ? reply.statusCode >= 400 : reply.statusCode < 400) {
      faults.push(`A ${kind} request of ${route} gets ${reply.statusCode}: ${body.slice(0, 300)}`);
      continue;
    }
    for (const [name, find] of Object.entries(sent.keep ?? {})) stage.kept[name] = String(find(body));
  }
  return { text: `${parts.join("\n\n")}\n`, faults };
}

const isOfAdministrator = ({ route, parts: { from = "ann", token, alone } }: Exchange) =>
  findRoute(route).auth === "token" && from === "ann" && token === undefined && !alone;

/** A reply with its whole body. */
interface Answer {
  reply: Reply;
  body: string;
}

async function sendOne(stage: Stage, exchange: Exchange): Promise<Answer> {
  let isPending = true;
  const answering = (async () => {
    const reply = await stage.send(exchange);
    return { reply, body: await readBody(reply) };
  })().finally(() => {
    isPending = false;
  });
  while (exchange.parts.works && isPending) await Promise.race([answering, stage.work()]);
  return answering;
}

function render(stage: Stage, { route: key, kind, parts }: Exchange, { reply, body }: Answer): string {
  const route = findRoute(key);
  const { from = route.auth === "token" ? "ann" : "nobody", show = whole } = parts;
  const { statusCode, headers = {}, multiValueHeaders = {} } = reply;
  const lines = [
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...Object.entries(multiValueHeaders).flatMap(([name, values]) => values.map((value) => `${name}: ${value}`)),
  ];
  const shown = statusCode < 400 ? show(body) : body;
  return [
    `## ${kind}: ${route.name}, sent by ${from satisfies Sender}`,
    describeRequest(stage, route, parts),
    "",
    String(statusCode),
    ...lines.filter((line) => !COMMON.includes(line)).sort(),
    ...COMMON.filter((line) => !lines.includes(line)).map((line) => `without ${line}`),
    "",
    body === shown ? toReadable(body) : `Part of the body: ${toReadable(shown)}`,
  ].join("\n");
}

const whole = (body: string) => body;

/** The request as its table has it: with the names of the values that earlier replies left. */
function describeRequest(stage: Stage, { method, path }: Route, { params = {}, query = {}, headers = {}, json, text }: Parts): string {
  const filled = path.replace(/\{(\w+)\+?\}/g, (part, name: string) =>
    name in params ? String(params[name]) : name === "workspace" ? stage.world.workspace : part,
  );
  const asked = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return [
    `${method} ${filled}${asked.length > 0 ? `?${asked.join("&")}` : ""}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(json === undefined ? [] : [JSON.stringify(json)]),
    ...(text === undefined ? [] : [text]),
  ].join("\n");
}

async function readBody({ body, chunks, isBase64Encoded }: Reply): Promise<string> {
  if (chunks) {
    const texts: string[] = [];
    for await (const text of chunks(new AbortController().signal)) texts.push(text);
    return texts.join("");
  }
  return isBase64Encoded ? Buffer.from(body, "base64").toString("latin1") : body;
}

/** Breaks JSON into lines, if that loses nothing. */
function toReadable(body: string): string {
  try {
    const json: unknown = JSON.parse(body);
    if (typeof json === "object" && JSON.stringify(json) === body) return JSON.stringify(json, null, 1);
  } catch {
    // It is no JSON.
  }
  // An archive is filled up with zeros, and a file with zeros has no readable difference.
  return body.replace(/\0+/g, (zeros) => `<${zeros.length} zeros>`);
}
