import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { counting } from "../sdk/counting.ts";

// Loaded on first use: most functions never read one.
const sdk = () => import("@aws-sdk/client-secrets-manager");
let client: Promise<SecretsManagerClient> | undefined;

/** Reads the value of a secret of the deployment by its name or ARN. */
export async function secretValue(id: string): Promise<string | undefined> {
  client ??= sdk().then(({ SecretsManagerClient }) => counting(new SecretsManagerClient({})));
  const { GetSecretValueCommand } = await sdk();
  return (await (await client).send(new GetSecretValueCommand({ SecretId: id }))).SecretString;
}
