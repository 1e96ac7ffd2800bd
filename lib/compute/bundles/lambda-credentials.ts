/**
 * Replaces the AWS SDK's credential search in bundles (lib/compute/bundles/bundle.ts). A function's credentials are always in its environment, on AWS and
 * on the local engine. The SDK's search contains clients for single sign-on, STS and more: a tenth of every bundle and of its load time.
 */
export function defaultProvider(): () => Promise<{ accessKeyId: string; secretAccessKey: string; sessionToken?: string }> {
  return async () => {
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = process.env;
    if (!accessKeyId || !secretAccessKey) throw new Error("This function has no credentials in its environment.");
    return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
  };
}
