import { engineCredentials } from "../../../engine/engine/child-env.ts";
import { shared } from "../api/api.ts";

/** Calls CloudFormation of the shared engine, which checks no signature. Returns the XML of its answer; throws with it when the call fails. */
async function callCloudFormation(action: string, parameters: Record<string, string>): Promise<string> {
  const scope = `${engineCredentials.AWS_ACCESS_KEY_ID}/20260101/${engineCredentials.AWS_REGION}/cloudformation/aws4_request`;
  const answer = await fetch(shared().endpoint, {
    method: "POST",
    headers: { authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0` },
    body: new URLSearchParams({ Action: action, Version: "2010-05-15", ...parameters }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${action}: ${answer.status} ${text}`);
  return text;
}

export const createStack = (name: string, template: object) =>
  callCloudFormation("CreateStack", { StackName: name, TemplateBody: JSON.stringify(template) });

/** The description of a stack, with its status. */
export const describeStack = (name: string) => callCloudFormation("DescribeStacks", { StackName: name });
