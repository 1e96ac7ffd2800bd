import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { counting } from "./counting.ts";

/** Loaded and made with the first secret that is asked for: most processes read none. */
let made: Promise<SecretsManagerClient> | undefined;
function secrets(): Promise<SecretsManagerClient> {
  made ??= import("@aws-sdk/client-secrets-manager").then(({ SecretsManagerClient }) => counting(new SecretsManagerClient({})));
  return made;
}

/** What Secrets Manager keeps under a name or ARN; `undefined` where it is empty or no text. */
export async function secretValue(SecretId: string): Promise<string | undefined> {
  const { GetSecretValueCommand } = await import("@aws-sdk/client-secrets-manager");
  const { SecretString } = await (await secrets()).send(new GetSecretValueCommand({ SecretId }));
  return SecretString;
}
