import { engineCredentials } from "../../../engine/engine/child-env.ts";
import { shared } from "../api/api.ts";
import { until } from "../until.ts";

/** Calls CloudFormation of an engine, which checks no signature. Returns the XML of its answer; throws with it when the call fails. */
async function callCloudFormation(action: string, parameters: Record<string, string>, endpoint = shared().endpoint): Promise<string> {
  const scope = `${engineCredentials.AWS_ACCESS_KEY_ID}/20260101/${engineCredentials.AWS_REGION}/cloudformation/aws4_request`;
  const answer = await fetch(endpoint, {
    method: "POST",
    headers: { authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0` },
    body: new URLSearchParams({ Action: action, Version: "2010-05-15", ...parameters }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${action}: ${answer.status} ${text}`);
  return text;
}

export const createStack = (name: string, template: object, options: Record<string, string> = {}) =>
  callCloudFormation("CreateStack", { StackName: name, TemplateBody: JSON.stringify(template), ...options });

/** The description of a stack, with its status. */
export const describeStack = (name: string, endpoint?: string) => callCloudFormation("DescribeStacks", { StackName: name }, endpoint);

/** Returns one line for each event of a stack, with the logical id of the resource and its status. */
export async function listStackEvents(name: string): Promise<string> {
  const answer = await callCloudFormation("DescribeStackEvents", { StackName: name });
  const events = answer.matchAll(/<LogicalResourceId>([^<]*)<[\s\S]*?<ResourceStatus>([^<]*)</g);
  return [...events].map(([, id, status]) => `${id} ${status}`).join("\n");
}

interface Template {
  Resources: Record<string, { Type: string; Properties: { Environment?: { Variables: Record<string, unknown> } } }>;
}

/** Returns the template of a stack. */
export async function getTemplate(name: string, endpoint: string): Promise<Template> {
  const answer = await callCloudFormation("GetTemplate", { StackName: name }, endpoint);
  const body = /<TemplateBody>([\s\S]*)<\/TemplateBody>/.exec(answer)?.[1] ?? "";
  const entities: Record<string, string> = { quot: '"', apos: "'", lt: "<", gt: ">", amp: "&", "#34": '"', "#39": "'" };
  return JSON.parse(body.replaceAll(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole));
}

/**
 * Updates a stack with the template at a URL of the engine's S3. Resources of the template that have a name and exist already are imported, as
 * `cdk deploy --import-existing-resources` does.
 */
export async function updateStackWithImports(name: string, templateUrl: string, endpoint: string): Promise<void> {
  const change = { StackName: name, ChangeSetName: "import" };
  const more = { ChangeSetType: "UPDATE", ImportExistingResources: "true", "Capabilities.member.1": "CAPABILITY_IAM" };
  await callCloudFormation("CreateChangeSet", { ...change, ...more, TemplateURL: templateUrl }, endpoint);
  await until(async () => (await callCloudFormation("DescribeChangeSet", change, endpoint)).includes("<Status>CREATE_COMPLETE<"), {
    what: "the change set",
  });
  await callCloudFormation("ExecuteChangeSet", change, endpoint);
}

/** Updates a stack with the template at a URL of the engine's S3. */
export const updateStack = (name: string, templateUrl: string, endpoint: string) =>
  callCloudFormation("UpdateStack", { StackName: name, TemplateURL: templateUrl, "Capabilities.member.1": "CAPABILITY_IAM" }, endpoint);
