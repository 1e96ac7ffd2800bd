import { once } from "node:events";
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";

type Handler = (args: object) => Promise<{ output: object }>;
type Middleware = (next: Handler, context: object) => Handler;
interface Entry {
  name?: string;
  step: string;
  priority: string;
}
interface Stack {
  add(middleware: Middleware, entry: Entry): void;
  addRelativeTo(middleware: Middleware, entry: Entry): void;
  applyToStack(stack: Partial<Stack> & { identifyOnResolve(): void }): void;
}
type Schema = readonly [kind: number, namespace: string, name: string, traits: unknown, input: unknown, output: unknown];

interface Command {
  input: object;
  schema: Schema;
  middlewareStack: unknown;
}
/** A command of the document client, around one of the client. */
interface DocumentCommand extends Command {
  clientCommand: Command;
  addMarshallingMiddleware(config: object): void;
}
interface Config {
  protocol: { deserializeResponse(operation: object, context: object, response: object): Promise<never> };
}
export interface QuickClient {
  config: unknown;
  middlewareStack: unknown;
  send: unknown;
}

interface Response {
  statusCode: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const STEPS = ["initialize", "serialize", "build", "finalizeRequest", "deserialize"];
const PRIORITIES = ["high", "normal", "low"];
const rankOf = ({ step, priority }: Entry) => STEPS.indexOf(step) * PRIORITIES.length + PRIORITIES.indexOf(priority);
const wrap = (handler: Handler, middlewares: readonly Middleware[], context: object) =>
  middlewares.reduceRight((next, middleware) => middleware(next, context), handler);

/** The engine's address of a service, and the name of the service in the headers of its requests. */
interface Service {
  endpoint: string;
  authorization: string;
  target: "DynamoDB_20120810" | "AmazonSQS";
  clientName: "DynamoDBClient" | "SQSClient";
}

/** The commands of a client whose values are those of JSON. The others are sent by the SDK. */
const isPlain = ({ schema: [, , name] }: Command, { clientName }: Service) => clientName === "SQSClient" || name === "CreateTable";

/**
 * Sends the commands of a client without most layers of the SDK: it resolves its middleware, the endpoint and the schema for each request, which
 * takes half of the processor time of a use case. Middleware whose name begins with `svc` remains, as do the conversion of items and the
 * errors of the SDK.
 */
export function sendQuickly(client: QuickClient, service: Service): void {
  const { endpoint, authorization, target, clientName } = service;
  const config = client.config as Config;
  const stack = client.middlewareStack as Stack;
  const exchange = exchangesWith(new URL(endpoint));

  let [outer, inner]: [Middleware[], Middleware[]] = [[], []];
  const readStack = () => {
    const found: [Middleware, Entry][] = [];
    const add = (middleware: Middleware, entry: Entry) => void (entry.name?.startsWith("svc") && found.push([middleware, entry]));
    stack.applyToStack({ add, addRelativeTo: add, identifyOnResolve: () => undefined });
    const sorted = found.toSorted(([, a], [, b]) => rankOf(a) - rankOf(b));
    const isOuter = ({ step }: Entry) => step === "initialize" || step === "serialize";
    outer = sorted.flatMap(([middleware, entry]) => (isOuter(entry) ? [middleware] : []));
    inner = sorted.flatMap(([middleware, entry]) => (isOuter(entry) ? [] : [middleware]));
  };
  readStack();
  const { add } = stack;
  stack.add = (...entry) => {
    const [, { name = "" }] = entry;
    if (!name.startsWith("svc")) throw new Error(`The middleware ${name} would not run: its name must begin with "svc".`);
    add(...entry);
    readStack();
  };

  const readConversion = (command: DocumentCommand): Record<string, Middleware> => {
    const items: Record<string, Middleware> = {};
    command.clientCommand.middlewareStack = {
      addRelativeTo: (middleware: Middleware, { name = "" }: Entry) => Object.assign(items, { [name]: middleware }),
    };
    command.addMarshallingMiddleware(config);
    return items;
  };
  const sendSlowly = (client.send as (...args: unknown[]) => Promise<object>).bind(client);
  client.send = async (command: Command | DocumentCommand, options?: object) => {
    const isDocument = "clientCommand" in command;
    if (options || !(isDocument || isPlain(command, service))) return sendSlowly(command, options);
    const {
      input: sentInput,
      schema: [, namespace, name, traits, input, output],
    } = isDocument ? command.clientCommand : command;
    const context = { clientName, commandName: `${name}Command` };
    const { DocumentMarshall: marshall, DocumentUnmarshall: unmarshall } = isDocument ? readConversion(command) : {};
    if (isDocument && !(marshall && unmarshall)) throw new Error("The document client converts items in another way.");
    const transport = async (args: object) => {
      const { body } = (args as { request: { body: string } }).request;
      const response = await exchange({ "x-amz-target": `${target}.${name}`, authorization }, body);
      if (response.statusCode === 200) return { response, output: JSON.parse(response.body.toString()) as object };
      return config.protocol.deserializeResponse({ namespace, name, traits, input, output }, { ...config, ...context }, response);
    };
    const exchangeItems = wrap(transport, [...inner, ...(unmarshall ? [unmarshall] : [])], context);
    const serialized = (args: object) => exchangeItems({ ...args, request: { body: JSON.stringify((args as { input: object }).input) } });
    return (await wrap(serialized, [...outer, ...(marshall ? [marshall] : [])], context)({ input: sentInput })).output;
  };
}

/** The number of attempts for one request. The engine closes connections that are unused for a while. */
const TRIES = 3;

/** Returns a function that sends the requests of a client over connections that it keeps. */
function exchangesWith({ hostname, port }: URL) {
  const agent = new Agent({ keepAlive: true });
  const exchangeOnce = async (headers: Record<string, string>, body: string): Promise<Response> => {
    const message = request({
      hostname,
      port,
      method: "POST",
      agent,
      headers: { "content-type": "application/x-amz-json-1.0", ...headers },
    });
    message.end(body);
    const [response] = (await once(message, "response")) as [IncomingMessage];
    return { statusCode: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(await response.toArray()) };
  };
  return async (headers: Record<string, string>, body: string): Promise<Response> => {
    for (let tried = 1; ; tried += 1) {
      try {
        return await exchangeOnce(headers, body);
      } catch (error) {
        if (tried === TRIES) throw error;
      }
    }
  };
}
