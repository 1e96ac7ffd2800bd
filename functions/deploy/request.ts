import * as z from "zod";
import { defined, mapDefined } from "../../contract/defined.ts";
import { deploymentSchema } from "../../contract/deployment/deployment.ts";

/** A request of CloudFormation ("Custom resource request and response reference"). */
export const requestSchema = z.object({
  RequestType: z.enum(["Create", "Update", "Delete"]),
  ResponseURL: z.url(),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
  PhysicalResourceId: z.string().optional(),
  ResourceProperties: deploymentSchema,
});
export type DeploymentRequest = z.output<typeof requestSchema>;

/** A reply may have 4096 bytes ("Custom resource response objects"), and its ids have some 1000. */
const REASON_BYTES = 3000;
const ATTEMPTS = 5;

/**
 * Sends CloudFormation the result of a request. Without a reply, the deployment waits until its time limit. Throws an error if CloudFormation
 * does not receive the reply: Lambda then repeats the request.
 */
export async function reply(request: DeploymentRequest, failure: string | undefined, send: typeof fetch = fetch): Promise<void> {
  const { ResponseURL, StackId, RequestId, LogicalResourceId, PhysicalResourceId, ResourceProperties, RequestType } = request;
  const { workspace, id } = ResourceProperties;
  const body = JSON.stringify({
    ...{ StackId, RequestId, LogicalResourceId },
    Status: failure === undefined ? "SUCCESS" : "FAILED",
    ...defined({ Reason: mapDefined(failure, shorten) }),
    // Another workspace is another resource: CloudFormation then removes the former one. A removal must name the resource that it removes.
    PhysicalResourceId: RequestType === "Delete" && PhysicalResourceId !== undefined ? PhysicalResourceId : `${workspace}/${id}`,
  });
  for (let attempt = 1; ; attempt += 1) {
    try {
      // The signature of the address covers an empty content type.
      const { ok, status } = await send(ResponseURL, { method: "PUT", body: Buffer.from(body), headers: { "content-type": "" } });
      if (ok) return;
      throw new Error(`CloudFormation's address for replies answered with ${status}.`);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200 * 2 ** attempt));
    }
  }
}

/** Returns the end of a long text, because a push prints the reason of its stop last. */
function shorten(text: string): string {
  let end = text;
  while (Buffer.byteLength(JSON.stringify(end)) > REASON_BYTES) end = `… ${end.slice(Math.ceil(end.length / 10))}`;
  return end;
}
