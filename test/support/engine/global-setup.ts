import { copyFileSync } from "node:fs";
import path from "node:path";
import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import type { TestProject } from "vitest/node";
import { svcDir } from "../../../engine/paths.ts";
import { awsClients } from "./aws.ts";
import { CLIENT, startIdentityProvider } from "./identity-provider.ts";
import { ensureSnapshot, LOGIN_SECRET, removeAbandonedInstances, startFromSnapshot } from "./instances.ts";

/** The data of the shared instance for every end-to-end test file. It is serialised, because it crosses process borders. */
export interface SharedInstance {
  url: string;
  endpoint: string;
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
  const start = async () => {
    const snapshot = await ensureSnapshot();
    return { snapshot, instance: await startFromSnapshot(snapshot, provider.issuer) };
  };
  const { snapshot, instance } = await start().catch(async (error: unknown) => {
    await provider.close();
    throw error;
  });
  await awsClients(instance).secrets.send(new CreateSecretCommand({ Name: LOGIN_SECRET, SecretString: CLIENT.clientSecret }));
  console.log(`end-to-end instance ready at ${instance.url} after ${Math.round((Date.now() - startedMs) / 1000)} s`);
  const { url, endpoint, outputs, dir, engineLog } = instance;
  const { token, email, password } = instance.admin;
  project.provide("svc", { url, endpoint, outputs, dir, engineLog, snapshot, token, email, password });
  void instance.died.then((sentence) => console.error(sentence));
  return async () => {
    // The log remains after the instance, for the analysis of failed tests.
    copyFileSync(engineLog, path.join(svcDir, "test-engine.log"));
    await instance.stop();
    await provider.close();
  };
}
