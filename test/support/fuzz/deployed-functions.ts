import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import {
  CognitoIdentityProviderClient,
  CreateUserPoolClientCommand,
  CreateUserPoolCommand,
} from "@aws-sdk/client-cognito-identity-provider";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { build } from "esbuild";
import { env } from "../../../contract/env.ts";
import { runnerLanguages } from "../../../contract/languages.ts";
import type { RouteFunction } from "../../../contract/route.ts";
import { root, svcDir } from "../../../engine/paths.ts";
import type { Reply } from "../../../functions/shared/reply/reply.ts";
import type { RunRequest } from "../../../runners/protocol.ts";
import { startAwsStandIn, toMachineName } from "./aws-stand-in.ts";
import { EDGE_KEY } from "./gateway-event.ts";

export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<Reply>;
type Module = { handler: Handler };

/** The folders with the pages of a function, which bundling copies next to its code, and files in each. */
const PAGES: Partial<Record<RouteFunction, { folder: string; files: string[] }>> = {
  web: { folder: "site", files: ["approve.html", "console.html", "device.html", "guides.html", "guide-flows.html"] },
  api: { folder: "reference", files: ["index.html"] },
};

const workerContext = { getRemainingTimeInMillis: () => 900_000 } as Context;

/** A success of a runner. */
const OUTCOME = {
  outcome: "success",
  result: { done: true },
  logs: { offset: 0, text: "done\n" },
  timings: { setupMs: 0, runMs: 1, totalMs: 1, freshHost: true },
};

/** The parts of AWS around the functions that a test plays itself. */
interface Surroundings {
  /** Returns the outcome of a run. By default, every run succeeds. */
  run?: (request: RunRequest) => Promise<unknown>;
  stepFunctions?: Parameters<typeof startAwsStandIn>[0]["stepFunctions"];
}

/**
 * Loads the handlers of the functions that answer requests, with the environment that they have when they are deployed. Other functions that
 * they invoke run in this process too. `close` ends the stand-in for Lambda and deletes the bundles.
 */
export async function loadFunctions(names: readonly RouteFunction[], { run = async () => OUTCOME, stepFunctions }: Surroundings = {}) {
  const other = <T>(name: string) => import(`../../../functions/${name}/handler.ts`) as Promise<{ handler: T }>;
  const invoke = async (name: string, payload: unknown) => {
    // The keys would reach scripts, which may send them anywhere.
    if (JSON.stringify(payload).includes(EDGE_KEY)) throw new Error(`The function ${name} receives the key of CloudFront.`);
    if (name === "worker") return (await other<(event: unknown, context: Context) => unknown>("worker")).handler(payload, workerContext);
    // No source has a fault.
    if (name === "connect") return {};
    if (name === "flows") return toMachineName(payload as Parameters<typeof toMachineName>[0]);
    return name === "runner" ? run(payload as RunRequest) : null;
  };
  const standIn = await startAwsStandIn({ invoke, stepFunctions });
  const { UserPool } = await new CognitoIdentityProviderClient({}).send(new CreateUserPoolCommand({ PoolName: "fuzz" }));
  const pool = { UserPoolId: UserPool?.Id ?? "" };
  const client = new CreateUserPoolClientCommand({ ...pool, ClientName: "fuzz", ExplicitAuthFlows: ["ALLOW_ADMIN_USER_PASSWORD_AUTH"] });
  const { UserPoolClient } = await new CognitoIdentityProviderClient({}).send(client);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_LAMBDA: standIn.url,
    AWS_ENDPOINT_URL_SFN: standIn.url,
    [env.baseUrl]: "https://svc.example",
    [env.runnerMemory]: "1769",
    [env.internalUrl]: "https://svc.example",
    [env.beatUrl]: "https://beat.example",
    [env.stack]: "svc",
    [env.stepFunction]: "arn:aws:lambda:us-east-1:000000000000:function:step",
    [env.machineRole]: "arn:aws:iam::000000000000:role/machines",
    [env.workerFunction]: "worker",
    [env.buildFunction]: "build",
    [env.flowsFunction]: "flows",
    [env.connectFunction]: "connect",
    [env.mailDomain]: "in.example.com",
    [env.triggerQueueArn]: "arn:aws:sqs:us-east-1:000000000000:triggers",
    [env.runnerFunctions]: JSON.stringify(Object.fromEntries(runnerLanguages.map((language) => [language, "runner"]))),
    [env.buildTarget]: JSON.stringify({ os: "linux", arch: "x64", python: "3.12", node: "24" }),
    [env.registries]: JSON.stringify({ npm: "", pypi: "", go: "" }),
    [env.userPool]: pool.UserPoolId,
    [env.userPoolClient]: UserPoolClient?.ClientId ?? "",
    [env.edgeKeys]: `the-next-key,${EDGE_KEY}`,
  });
  const loaded = await Promise.all(names.map(async (name) => [name, await load(name)] as const));
  return {
    handlers: new Map(loaded),
    close: () => {
      standIn.close();
      // Other files of this process call functions without CloudFront.
      delete process.env[env.edgeKeys];
      for (const folder of assets.splice(0)) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function load(name: RouteFunction): Promise<Handler> {
  const pages = PAGES[name];
  // The others stream their replies on AWS.
  if (name === "stream") return ((await import("../../../functions/stream/answer.ts")) as unknown as { answer: Handler }).answer;
  if (name === "routes") return (await import("../../../functions/routes/answer.ts")).answer;
  const file = pages ? await bundleWithPages(name, pages) : `../../../functions/${name}/handler.ts`;
  return ((await import(/* @vite-ignore */ file)) as Module).handler;
}

/** The folders of this process, below the root so that their code finds its packages. */
const assets: string[] = [];

/** Bundles a function next to a folder with its pages, as in its asset. */
async function bundleWithPages(name: RouteFunction, { folder, files }: { folder: string; files: string[] }): Promise<string> {
  mkdirSync(svcDir, { recursive: true });
  const asset = mkdtempSync(join(svcDir, "fuzz-"));
  assets.push(asset);
  mkdirSync(join(asset, folder));
  for (const file of files) writeFileSync(join(asset, folder, `${file}.gz`), gzipSync("<!doctype html>"));
  const outfile = join(asset, "index.mjs");
  await build({
    entryPoints: [join(root, "functions", name, "handler.ts")],
    outfile,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    logLevel: "warning",
  });
  return outfile;
}
