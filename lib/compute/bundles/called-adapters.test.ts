import { readdirSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { runnerLanguages } from "../../../contract/languages.ts";
import { aStack } from "../../stack-fixture.ts";
import { descriptions, fn, list, rightsOf, runner } from "../../stack-rights.ts";

const root = join(import.meta.dirname, "../../..");
const { template } = aStack({ mailFrom: "approvals@example.com" });

const invoke = (description: string) => `lambda:InvokeFunction ${fn(template, description).id}`;

/** The methods of the adapters in `aws/`, apart from those of tables, and the rights that each needs. */
const methods: Record<string, string[]> = {
  startExecution: ["states:StartExecution"],
  getExecutionStatus: ["states:DescribeExecution"],
  stopExecution: ["states:StopExecution"],
  sendTaskSuccess: ["states:SendTaskSuccess"],
  createStateMachine: [invoke(descriptions.flows)],
  deleteStateMachines: ["states:ListStateMachines", "states:ListTagsForResource", "states:DeleteStateMachine"],
  deleteIdleStateMachines: ["states:ListStateMachines", "states:ListExecutions", "states:ListTagsForResource", "states:DeleteStateMachine"],
  invokeRunner: runnerLanguages.map((language) => invoke(runner(language))),
  invokeWorker: [invoke(descriptions.worker)],
  invokeBuild: [invoke(descriptions.build)],
  sendDeliveries: ["sqs:SendMessage"],
  checkSource: [invoke(descriptions.connect)],
  invokeConnect: [invoke(descriptions.connect)],
  startConnecting: [invoke(descriptions.connect)],
  startRefreshing: [invoke(descriptions.objects)],
  startRotating: [invoke(descriptions.objects)],
  requestDecision: [invoke(descriptions.approve)],
  requestContent: [invoke(descriptions.approve)],
  storeTeamsChange: [invoke(descriptions.approve)],
  requestPost: [invoke(descriptions.deliver)],
  postInTeams: [invoke(descriptions.deliver)],
  startPolling: [invoke(descriptions.receive)],
  // Its other rights on queues are those that Lambda needs as well (`otherRights`).
  describeQueue: [],
  sendDeadLetter: ["sqs:SendMessage"],
  findMapping: ["lambda:ListEventSourceMappings"],
  createMapping: ["lambda:CreateEventSourceMapping"],
  updateMapping: ["lambda:UpdateEventSourceMapping"],
  deleteMapping: ["lambda:DeleteEventSourceMapping"],
  findPatternFault: ["events:TestEventPattern"],
  putRule: ["events:PutRule", "events:PutTargets", "events:TagResource"],
  deleteRule: ["events:RemoveTargets", "events:DeleteRule"],
  subscribe: ["sns:Subscribe"],
  unsubscribe: ["sns:Unsubscribe", "sns:ListSubscriptionsByTopic"],
  sendMessage: ["sqs:SendMessage"],
  sendEmail: ["ses:SendEmail"],
  publish: ["sns:Publish"],
  generateMac: ["kms:GenerateMac"],
  verifyMac: ["kms:VerifyMac"],
  generate: ["kms:GenerateDataKey"],
  unwrap: ["kms:Decrypt"],
  readSecretValue: ["secretsmanager:GetSecretValue"],
  ensureUser: ["cognito-idp:AdminCreateUser", "cognito-idp:AdminSetUserPassword"],
  checkPassword: ["cognito-idp:AdminInitiateAuth"],
  deleteUser: ["cognito-idp:AdminDeleteUser"],
  putObject: ["s3:PutObject"],
  createUploadUrl: ["s3:PutObject"],
  "bucket.startUpload": ["s3:PutObject"],
  createPartUrl: ["s3:PutObject"],
  listUploadParts: ["s3:ListMultipartUploadParts"],
  "bucket.completeUpload": ["s3:PutObject"],
  abortUpload: ["s3:AbortMultipartUpload"],
  copyObject: ["s3:GetObject", "s3:ListBucket", "s3:PutObject"],
  getObject: ["s3:GetObject", "s3:ListBucket"],
  openObject: ["s3:GetObject", "s3:ListBucket"],
  getObjectText: ["s3:GetObject", "s3:ListBucket"],
  getObjectEtag: ["s3:GetObject", "s3:ListBucket"],
  createDownloadUrl: ["s3:GetObject"],
  getSharedDownloadUrl: ["s3:GetObject"],
  deleteObject: ["s3:DeleteObject"],
  hasObjects: ["s3:ListBucket"],
  listObjectKeys: ["s3:ListBucket"],
  deletePrefix: ["s3:DeleteObject", "s3:ListBucket"],
};
/** The function `flows` creates state machines itself. */
const creation = ["states:CreateStateMachine", "states:DescribeStateMachine", "states:TagResource", "iam:PassRole"];

/** Rights that the function's code never uses. */
const unneeded: Record<string, Record<string, string>> = {
  "dead-letter": { "s3:PutObject": "a dead letter ends a job with an error, which fits an item" },
  receive: { "kms:GenerateDataKey": "the data key of a stored secret exists" },
  worker: { "kms:GenerateDataKey": "the data key of a stored secret exists" },
  step: { "kms:GenerateDataKey": "the data key of a stored secret exists" },
  people: {
    "secretsmanager:GetSecretValue": "only the user pool knows the secrets of providers",
    "s3:GetObject": "it only cancels jobs, and notices show the errors of failed ones",
  },
  beat: { "s3:ListBucket": "it reads only objects that exist" },
};

/** Returns the methods that a function's code calls. The bundler has removed unused functions. */
function calledMethods(name: string): string[] {
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: [`functions/${name}/handler.ts`],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "error",
  });
  const text = outputFiles[0]?.text ?? "";
  // Methods of an adapter call each other by `this`. The name of an operation, such as "openapi.generate", calls nothing.
  return Object.keys(methods).filter((method) => new RegExp(`(?<!this)(?:\\.|await |\\()${method}\\b(?!")`).test(text));
}

const rightsFor = (name: string, method: string) =>
  name === "flows" && method === "createStateMachine" ? creation : (methods[method] ?? []);

const camelCase = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** `step` refers to `flows` by its name, because a reference would be a cycle. */
function functionIdOf(target: unknown): string {
  const byName = /:function:svc-flows"/.test(JSON.stringify(target));
  return byName ? fn(template, descriptions.flows).id : ((target as { "Fn::GetAtt": string[] })["Fn::GetAtt"][0] ?? "");
}

function grantedRights(name: string): Set<string> {
  const { statements } = rightsOf(template, descriptions[camelCase(name) as keyof typeof descriptions]);
  return new Set(
    statements.flatMap(({ Action, Resource }) =>
      list(Action).flatMap((action) =>
        action === "lambda:InvokeFunction" ? list(Resource).map((target) => `${action} ${functionIdOf(target)}`) : [action],
      ),
    ),
  );
}

/** Rights whose use is not a method of this list: tables, and queues that Lambda reads for a function. */
const otherRights = /^(logs|xray|dynamodb):|^sqs:(?!SendMessage)/;

/** Rights that Lambda uses with the role of a function: it sends the records that the function could not handle to a queue. */
const rightsOfLambda: Record<string, string[]> = { remove: ["sqs:SendMessage"] };

describe("the adapters that a function calls", () => {
  const names = readdirSync(join(root, "functions")).filter((name) => camelCase(name) in descriptions);

  it.each(names)("the role of %s allows all that its code calls, and nothing else", (name) => {
    const needed = new Set(calledMethods(name).flatMap((method) => rightsFor(name, method)));
    for (const right of Object.keys(unneeded[name] ?? {})) expect(needed.delete(right), `${right} is still an exception`).toBe(true);
    // A right that is missing here fails with AccessDenied on AWS. Grant it, or write in `unneeded` why no execution needs it.
    const granted = [...grantedRights(name)].filter((right) => !otherRights.test(right) && !rightsOfLambda[name]?.includes(right));
    expect(granted.toSorted()).toEqual([...needed].toSorted());
  });
});
