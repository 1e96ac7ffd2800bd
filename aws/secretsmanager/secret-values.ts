import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { reportBusyServices } from "../sdk/aws-errors.ts";
import { countRequests } from "../sdk/request-counts.ts";

// Loaded on first use, because most functions never read a secret.
const sdk = () => import("@aws-sdk/client-secrets-manager");
let client: Promise<SecretsManagerClient> | undefined;

/** Reads the value of a secret of the deployment by its name or ARN. */
export async function readSecretValue(id: string): Promise<string | undefined> {
  client ??= sdk().then(({ SecretsManagerClient }) => reportBusyServices(countRequests(new SecretsManagerClient({}))));
  const { GetSecretValueCommand } = await sdk();
  return (await (await client).send(new GetSecretValueCommand({ SecretId: id }))).SecretString;
}
