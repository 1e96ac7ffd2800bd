import { copyFileSync } from "node:fs";
import path from "node:path";
import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import type { TestProject } from "vitest/node";
import { freePort } from "../../../engine/engine/ports.ts";
import { svcDir } from "../../../engine/paths.ts";
import { installLocalstack, startLocalstackStates } from "../localstack/localstack.ts";
import { awsClients } from "./aws.ts";
import { CLIENT, startIdentityProvider } from "./identity-provider.ts";
import { ensureSnapshot, LOGIN_SECRET, removeAbandonedInstances, startFromSnapshot } from "./instances.ts";

/** The data of the shared instance for every end-to-end test file. It is serialised, because it crosses process borders. */
export interface SharedInstance {
  url: string;
  endpoint: string;
  /** The endpoint of LocalStack's Step Functions, if the flows run there (`npm run test:asl`). */
  statesEndpoint: string | undefined;
  outputs: Readonly<Record<string, string>>;
  dir: string;
  token: string;
  email: string;
  password: string;
  engineLog: string;
  /** Folder from which further instances start. */
  snapshot: string;
}

declare module "vitest" {
  interface ProvidedContext {
    svc: SharedInstance;
  }
}

/** Starts one instance for all files; vitest calls it only when an end-to-end test is about to run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandonedInstances();
  const startedMs = Date.now();
  const provider = await startIdentityProvider();
  const statesPort = await reserveStatesPort();
  const statesEndpoint = statesPort === undefined ? undefined : `http://127.0.0.1:${statesPort}`;
  const start = async () => {
    const snapshot = await ensureSnapshot();
    return { snapshot, instance: await startFromSnapshot(snapshot, { acmeIssuer: provider.issuer, statesEndpoint }) };
  };
  const { snapshot, instance } = await start().catch(async (error: unknown) => {
    await provider.close();
    throw error;
  });
  const states = statesPort === undefined ? undefined : await startLocalstackStates({ TASKS_ENDPOINT: instance.endpoint }, statesPort);
  await awsClients(instance).secrets.send(new CreateSecretCommand({ Name: LOGIN_SECRET, SecretString: CLIENT.clientSecret }));
  console.log(`end-to-end instance ready at ${instance.url} after ${Math.round((Date.now() - startedMs) / 1000)} s`);
  const { url, endpoint, outputs, dir, engineLog } = instance;
  const { token, email, password } = instance.admin;
  project.provide("svc", { url, endpoint, statesEndpoint, outputs, dir, engineLog, snapshot, token, email, password });
  void instance.died.then((sentence) => console.error(sentence));
  return async () => {
    // The log remains after the instance, for the analysis of failed tests.
    copyFileSync(engineLog, path.join(svcDir, "test-engine.log"));
    try {
      await instance.stop();
    } finally {
      await states?.stop();
      await provider.close();
    }
  };
}

/** With `SVC_TEST_ASL=1`, LocalStack executes the flows of the shared instance, which must know its port before LocalStack is started. */
async function reserveStatesPort(): Promise<number | undefined> {
  if (process.env["SVC_TEST_ASL"] !== "1") return undefined;
  const missing = await installLocalstack(true);
  if (missing) throw new Error(`LocalStack is unavailable: ${missing}.`);
  return freePort();
}
