/**
 * In bundles this stands in for the AWS SDK's search for credentials (lib/compute/bundle.ts): a function finds them in its environment, on AWS and on the
 * local engine, and nowhere else. The SDK's own brings clients for single sign-on, STS and more: a tenth of every bundle and of its load time.
 */
export function defaultProvider(): () => Promise<{ accessKeyId: string; secretAccessKey: string; sessionToken?: string }> {
  return async () => {
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = process.env;
    if (!accessKeyId || !secretAccessKey) throw new Error("This function has no credentials in its environment.");
    return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
  };
}
