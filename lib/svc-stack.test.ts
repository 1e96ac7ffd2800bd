import { Match, type Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { runnerLanguages } from "../contract/languages.ts";
import { limits } from "../contract/limits.ts";
import { aStack } from "./stack-fixture.ts";

interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: unknown;
}

const onAws = aStack({ alarmEmail: "ops@example.com" });
const locally = aStack({ local: true, baseUrl: "http://127.0.0.1:8000" });
const aws = onAws.template;

const list = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

/** The function whose description begins so, with its properties. */
function fn(template: Template, description: string) {
  const found = Object.entries(template.findResources("AWS::Lambda::Function")).filter(([, { Properties }]) =>
    String(Properties.Description).startsWith(description),
  );
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} functions are described as ${description}`);
  return { id: found[0][0], properties: found[0][1].Properties };
}

function rightsOf(template: Template, description: string): { actions: Set<string>; statements: Statement[]; managed: unknown[] } {
  const role = fn(template, description).properties.Role["Fn::GetAtt"][0] ?? "";
  const own = template.findResources("AWS::IAM::Role")[role]?.Properties ?? {};
  const attached = Object.values(template.findResources("AWS::IAM::Policy")).filter(({ Properties }) =>
    Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === role),
  );
  const statements: Statement[] = [...(own.Policies ?? []), ...attached.map(({ Properties }) => Properties)].flatMap(
    ({ PolicyDocument }) => PolicyDocument.Statement,
  );
  return { actions: new Set(statements.flatMap(({ Action }) => list(Action))), statements, managed: own.ManagedPolicyArns ?? [] };
}

const descriptions = {
  run: "svc: run routes",
  stream: "svc: streams of runs and job updates",
  objects: "svc: stored objects",
  jobs: "svc: lists, results and cancellation of jobs",
  people: "svc: workspaces, users and permissions",
  api: "svc: API reference",
  approve: "svc: approvals",
  beat: "svc: heartbeats",
  worker: "svc: runs queued jobs",
  housekeeping: "svc: due jobs, lost jobs",
  deadLetter: "svc: dead letters",
  flows: "svc: creates state machines",
  setup: "svc: creates the first administrator",
  build: "svc: resolves dependencies",
  step: "svc: steps of flows",
  settle: "svc: flows whose execution",
  deliver: "svc: notifications of approvals",
} as const;
const runner = (language: string) => `svc: runs ${language} scripts`;
const untrusted = [descriptions.build, ...runnerLanguages.map(runner)];

const actionsOf = (name: keyof typeof descriptions, prefix = "") =>
  [...rightsOf(aws, descriptions[name]).actions].filter((action) => action.startsWith(prefix)).sort();

describe("cdk-nag", () => {
  it("finds nothing that has no reason beside it, warnings included", () => {
    expect(onAws.findings).toEqual([]);
    expect(locally.findings).toEqual([]);
    expect(
      aStack({ customDomain: { name: "svc.example.com", certificateArn: "arn:aws:acm:us-east-1:1:certificate/x", hostedZoneId: "Z" } })
        .findings,
    ).toEqual([]);
  });
});

describe("rights", () => {
  it.each([...untrusted, "svc: pages of the console"])("'%s' may write its own log group and nothing else", (description) => {
    const { statements, managed } = rightsOf(aws, description);
    expect(managed).toEqual([]);
    const logs = fn(aws, description).properties.LoggingConfig.LogGroup.Ref;
    expect(statements).toEqual([
      { Effect: "Allow", Action: ["logs:CreateLogStream", "logs:PutLogEvents"], Resource: { "Fn::GetAtt": [logs, "Arn"] } },
    ]);
  });

  it("no function has a managed policy or a right to everything", () => {
    for (const description of [...Object.values(descriptions), ...untrusted]) {
      const { statements, managed } = rightsOf(aws, description);
      expect(managed).toEqual([]);
      for (const { Action, Resource } of statements) {
        expect(list(Action).filter((action) => action.includes("*"))).toEqual([]);
        // X-Ray knows no resources.
        if (JSON.stringify(Action) !== JSON.stringify(["xray:PutTraceSegments", "xray:PutTelemetryRecords"]))
          expect(list(Resource)).not.toContain("*");
      }
    }
  });

  it("every function that executes no code of users is traced on AWS, and none locally", () => {
    const modeOf = (template: Template, description: string) => fn(template, description).properties.TracingConfig?.Mode;
    const { build: _, ...traced } = descriptions;
    for (const description of Object.values(traced)) expect(modeOf(aws, description), description).toBe("Active");
    for (const description of [...untrusted, "svc: pages of the console"]) expect(modeOf(aws, description), description).toBeUndefined();
    const modes = Object.values(locally.template.findResources("AWS::Lambda::Function")).map(
      ({ Properties }) => Properties.TracingConfig?.Mode,
    );
    expect(modes.filter((mode) => mode === "Active")).toEqual([]);
  });

  it("every function has a role of its own", () => {
    const roles = Object.values(aws.findResources("AWS::Lambda::Function")).map(({ Properties }) => JSON.stringify(Properties.Role));
    expect(new Set(roles).size).toBe(roles.length);
  });

  it("only executors read the signing secret", () => {
    const may = (Object.keys(descriptions) as (keyof typeof descriptions)[]).filter(
      (name) => actionsOf(name, "secretsmanager:").length > 0,
    );
    expect(may).toEqual(["run", "worker", "step"]);
    expect(actionsOf("run", "secretsmanager:")).toEqual(["secretsmanager:GetSecretValue"]);
  });

  it("only objects, worker and step reach secrets, and only objects makes keys for them; approve, deliver, jobs and people reach other keys alone", () => {
    const may = (Object.keys(descriptions) as (keyof typeof descriptions)[]).filter((name) => actionsOf(name, "kms:Decrypt").length > 0);
    expect(may).toEqual(["objects", "jobs", "people", "approve", "worker", "step", "deliver"]);
    expect(actionsOf("objects", "kms:")).toEqual(["kms:Decrypt", "kms:GenerateDataKey"]);
    expect(actionsOf("worker", "kms:")).toEqual(["kms:Decrypt"]);
    expect(actionsOf("step", "kms:")).toEqual(["kms:Decrypt"]);
    const purposes = (["approve", "deliver", "jobs"] as const).map((name) =>
      rightsOf(aws, descriptions[name])
        .statements.filter(({ Action }) => list(Action).includes("kms:Decrypt"))
        .map(({ Condition }) => (Condition as { StringEquals: Record<string, string> }).StringEquals["kms:EncryptionContext:purpose"]),
    );
    expect(purposes).toEqual([["links", "webhooks"], ["webhooks"], ["links"]]);
    // The instance's own key, which seals sign-ins under way, has the workspace that no workspace can have.
    const ofPeople = rightsOf(aws, descriptions.people).statements.filter(({ Action }) => list(Action).includes("kms:Decrypt"));
    expect(ofPeople.map(({ Condition }) => Condition)).toEqual([
      { StringEquals: { "kms:EncryptionContext:service": "svc", "kms:EncryptionContext:workspace": "-" } },
    ]);
    const [key] = Object.keys(aws.findResources("AWS::KMS::Key", { Properties: { EnableKeyRotation: true } }));
    for (const name of ["objects", "worker", "step"] as const) {
      const [statement] = rightsOf(aws, descriptions[name]).statements.filter(({ Action }) => list(Action).includes("kms:Decrypt"));
      expect(statement).toMatchObject({
        Resource: { "Fn::GetAtt": [key, "Arn"] },
        Condition: { StringEquals: { "kms:EncryptionContext:service": "svc" } },
      });
      expect(fn(aws, descriptions[name]).properties.Environment.Variables).toHaveProperty("SVC_SECRETS_KEY");
    }
  });

  it("only housekeeping signs the record of approvals, and only approve checks a signature, which makes none", () => {
    const may = (action: string) =>
      (Object.keys(descriptions) as (keyof typeof descriptions)[]).filter((name) => actionsOf(name, action).length > 0);
    expect([may("kms:GenerateMac"), may("kms:VerifyMac")]).toEqual([["housekeeping"], ["approve"]]);
    const [key] = Object.keys(aws.findResources("AWS::KMS::Key", { Properties: { KeySpec: "HMAC_256" } }));
    for (const name of ["housekeeping", "approve"] as const) {
      const statements = rightsOf(aws, descriptions[name]).statements.filter(({ Action }) => /Mac$/.test(String(Action)));
      expect(statements.map(({ Resource }) => Resource)).toEqual([{ "Fn::GetAtt": [key, "Arn"] }]);
    }
  });

  it("only executors invoke runners, only worker and step build, and who starts flows may have their machines made", () => {
    const may = (Object.keys(descriptions) as (keyof typeof descriptions)[]).filter((name) => actionsOf(name, "lambda:").length > 0);
    expect(may).toEqual(["run", "worker", "housekeeping", "deadLetter", "step", "settle", "deliver"]);
    const targets = (name: "run" | "worker" | "deadLetter" | "housekeeping" | "step" | "settle" | "deliver") =>
      rightsOf(aws, descriptions[name])
        .statements.filter(({ Action }) => Action === "lambda:InvokeFunction")
        .flatMap(({ Resource }) => list(Resource));
    const arn = (description: string) => ({ "Fn::GetAtt": [fn(aws, description).id, "Arn"] });
    expect(targets("run")).toEqual(expect.arrayContaining([...runnerLanguages.map(runner), descriptions.worker].map(arn)));
    expect(targets("run")).not.toContainEqual(arn(descriptions.build));
    expect(targets("worker")).toEqual(expect.arrayContaining([...untrusted, descriptions.flows].map(arn)));
    expect(targets("step")).toEqual(expect.arrayContaining(untrusted.map(arn)));
    for (const name of ["settle", "deadLetter"] as const) expect(targets(name)).toEqual([arn(descriptions.flows)]);
    expect(targets("housekeeping")).toEqual([arn(descriptions.deliver), arn(descriptions.flows)]);
    // Of what waits for strangers each has a call of its own.
    expect(targets("deliver")).toEqual([arn(descriptions.deliver)]);
  });

  it("one function makes state machines, and all that those can do is call step", () => {
    const may = (Object.keys(descriptions) as (keyof typeof descriptions)[]).filter((name) =>
      [...actionsOf(name, "states:"), ...actionsOf(name, "iam:")].some((action) => /Create|PassRole/.test(action)),
    );
    expect(may).toEqual(["flows"]);
    const [machines] = Object.values(aws.findResources("AWS::IAM::Role", { Properties: { Description: "svc: state machines of flows" } }));
    expect(JSON.stringify(machines?.Properties.AssumeRolePolicyDocument)).toContain("states.amazonaws.com");
    const [id] = Object.keys(aws.findResources("AWS::IAM::Role", { Properties: { Description: "svc: state machines of flows" } }));
    const policies = Object.values(aws.findResources("AWS::IAM::Policy")).filter(({ Properties }) =>
      Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === id),
    );
    expect(policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement)).toEqual([
      { Action: "lambda:InvokeFunction", Effect: "Allow", Resource: { "Fn::GetAtt": [fn(aws, descriptions.step).id, "Arn"] } },
    ]);
    for (const name of Object.keys(descriptions) as (keyof typeof descriptions)[]) {
      for (const { Action, Resource } of rightsOf(aws, descriptions[name]).statements) {
        if (list(Action).some((action) => action.startsWith("states:") && action !== "states:ListStateMachines"))
          expect(JSON.stringify(Resource)).toMatch(/(stateMachine|execution):svc-\*/);
      }
    }
  });

  it("hears of executions that fail or are stopped, of its own machines alone", () => {
    aws.hasResourceProperties("AWS::Events::Rule", {
      EventPattern: Match.objectLike({ source: ["aws.states"], detail: Match.objectLike({ status: ["FAILED", "TIMED_OUT", "ABORTED"] }) }),
      Targets: [Match.objectLike({ Arn: { "Fn::GetAtt": [fn(aws, descriptions.settle).id, "Arn"] } })],
    });
  });

  it("state machines are made by flows alone, and removed by housekeeping alone, those of the stack", () => {
    const may = (action: string) =>
      (Object.keys(descriptions) as (keyof typeof descriptions)[]).filter((name) => actionsOf(name).includes(`states:${action}`));
    expect(may("CreateStateMachine")).toEqual(["flows"]);
    expect(may("DeleteStateMachine")).toEqual(["housekeeping"]);
    // Whoever may end a flow may have to tell the one around it, and stop what is under way in it.
    expect(may("SendTaskSuccess").sort()).toEqual(["approve", "deadLetter", "housekeeping", "jobs", "people", "settle", "step", "worker"]);
    expect(may("StopExecution").sort()).toEqual(["housekeeping", "jobs", "people", "settle", "step"]);
    const removes = rightsOf(aws, descriptions.housekeeping).statements.find(({ Action }) => Action === "states:DeleteStateMachine");
    expect(removes?.Condition).toEqual({ StringEquals: { "aws:ResourceTag/svc": "svc" } });
    expect(JSON.stringify(removes?.Resource)).toContain(":stateMachine:svc-*");
    const names = [descriptions.flows, descriptions.housekeeping].map((name) => fn(aws, name).properties.Environment.Variables.SVC_STACK);
    expect(names).toEqual(["svc", "svc"]);
  });

  it("jobs and objects name executions and machines, on AWS with their pages in the console, and may not read them", () => {
    expect(actionsOf("jobs", "states:")).toEqual(["states:SendTaskSuccess", "states:StopExecution"]);
    expect(actionsOf("objects", "states:")).toEqual([]);
    for (const name of ["jobs", "objects"] as const) {
      const variables = (template: Template) => fn(template, descriptions[name]).properties.Environment.Variables;
      expect(variables(aws)).toMatchObject({ SVC_STATES_CONSOLE: "on", SVC_STATES_ARN: expect.anything() });
      expect(variables(locally.template)).not.toHaveProperty("SVC_STATES_CONSOLE");
    }
  });

  it("api reads single objects and has no other right", () => {
    expect(actionsOf("api").filter((action) => !/^(logs|xray):/.test(action))).toEqual(["dynamodb:GetItem"]);
    expect(JSON.stringify(rightsOf(aws, descriptions.api).statements)).not.toContain("JobsTable");
  });

  it("jobs writes nothing to the objects table but uses of tokens, the audit log and keys of links", () => {
    const writes = rightsOf(aws, descriptions.jobs).statements.filter(
      ({ Action, Resource }) =>
        JSON.stringify(Resource).includes("ObjectsTable") && list(Action).some((action) => /Put|Update|Delete|Write/.test(action)),
    );
    expect(writes.map(({ Action, Condition }) => ({ Action, Condition }))).toEqual([
      { Action: "dynamodb:UpdateItem", Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["TOKEN#*", "USER#*"] } } },
      {
        Action: ["dynamodb:PutItem", "dynamodb:DeleteItem"],
        Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["AUDIT#*"] } },
      },
      { Action: "dynamodb:PutItem", Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["LINKS#*"] } } },
    ]);
  });

  it("of the functions of the API only objects reaches scripts and files, and only objects and jobs delete", () => {
    const placesOf = (name: keyof typeof descriptions, action: string) =>
      rightsOf(aws, descriptions[name])
        .statements.filter(({ Action }) => list(Action).includes(action))
        .flatMap(({ Resource }) => list(Resource))
        .flatMap((place) => /\/(\w+)\/\*"/.exec(JSON.stringify(place))?.[1] ?? []);
    const places = (action: string) => (["objects", "jobs", "people", "api"] as const).map((name) => placesOf(name, action));
    const all = ["jobs", "scripts", "flows", "files"];
    expect(places("s3:GetObject")).toEqual([all, ["jobs", "flows"], ["jobs", "flows"], []]);
    expect(places("s3:PutObject")).toEqual([all, ["jobs"], ["jobs"], []]);
    expect(places("s3:DeleteObject")).toEqual([all, ["jobs"], [], []]);
  });

  it("a beat touches one job's items and reads one public key", () => {
    expect(actionsOf("beat", "sqs:")).toEqual([]);
    const objects = rightsOf(aws, descriptions.beat).statements.filter(({ Resource }) => JSON.stringify(Resource).includes("ObjectsTable"));
    expect(objects.flatMap(({ Action }) => list(Action))).toEqual(["dynamodb:GetItem"]);
    expect(actionsOf("beat")).toContain("dynamodb:Query");
    expect(actionsOf("beat")).not.toContain("dynamodb:DeleteItem");
  });

  it("run writes nothing to the objects table but its public key, when a token was used last, and keys of idempotent calls", () => {
    const writes = rightsOf(aws, descriptions.run).statements.filter(
      ({ Action, Resource }) =>
        JSON.stringify(Resource).includes("ObjectsTable") && list(Action).some((action) => /Put|Update|Delete|Write/.test(action)),
    );
    expect(writes.map(({ Action, Condition }) => ({ Action, Condition }))).toEqual([
      { Action: "dynamodb:PutItem", Condition: { "ForAllValues:StringEquals": { "dynamodb:LeadingKeys": ["KEYS"] } } },
      { Action: "dynamodb:UpdateItem", Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["TOKEN#*", "USER#*"] } } },
      {
        Action: ["dynamodb:PutItem", "dynamodb:DeleteItem"],
        Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["IDEMPOTENCY#*"] } },
      },
    ]);
  });

  it("stream runs no code and holds no key: it queues jobs and reads them", () => {
    expect([...actionsOf("stream", "lambda:"), ...actionsOf("stream", "secretsmanager:"), ...actionsOf("stream", "kms:")]).toEqual([]);
    expect(actionsOf("stream", "sqs:")).toEqual(actionsOf("run", "sqs:"));
  });

  it("only setup and people reach the user pool, and setup reaches no job", () => {
    const may = (Object.keys(descriptions) as (keyof typeof descriptions)[]).filter((name) => actionsOf(name, "cognito-idp:").length > 0);
    expect(may).toEqual(["people", "setup"]);
    expect(actionsOf("setup", "cognito-idp:")).toEqual([
      "cognito-idp:AdminCreateUser",

      "cognito-idp:AdminSetUserPassword",
    ]);
    expect(JSON.stringify(rightsOf(aws, descriptions.setup).statements)).not.toContain("JobsTable");
    expect(actionsOf("people", "cognito-idp:")).toEqual([
      "cognito-idp:AdminCreateUser",
      "cognito-idp:AdminDeleteUser",
      "cognito-idp:AdminInitiateAuth",
      "cognito-idp:AdminSetUserPassword",
    ]);
  });

  it("who takes strangers' requests writes nothing to the bucket but what belongs to jobs", () => {
    for (const name of ["run", "stream"] as const) {
      const writes = rightsOf(aws, descriptions[name]).statements.filter(({ Action }) => list(Action).includes("s3:PutObject"));
      expect(writes.length).toBeGreaterThan(0);
      expect(writes.flatMap(({ Resource }) => list(Resource)).every((place) => /\/jobs\/\*"/.test(JSON.stringify(place)))).toBe(true);
    }
  });

  it("addresses of users lead inside only where the deployment says so, and locally to the machine itself", () => {
    const opened = (template: Template) => fn(template, descriptions.objects).properties.Environment.Variables.SVC_EGRESS_ALLOW;
    const asked = aStack({ egressAllow: "10.1.0.0/16" }).template;
    expect([aws, locally.template, asked].map(opened)).toEqual(["", "127.0.0.0/8,::1/128", "10.1.0.0/16"]);
  });

  it("the bucket's objects are reached by folder", () => {
    for (const name of Object.keys(descriptions) as (keyof typeof descriptions)[]) {
      for (const { Action, Resource } of rightsOf(aws, descriptions[name]).statements) {
        if (!list(Action).some((action) => /^s3:.*Object/.test(action))) continue;
        expect(list(Resource).every((resource) => /\/(jobs|artefacts|scripts|flows|files)\/\*"/.test(JSON.stringify(resource)))).toBe(true);
      }
    }
  });
});

describe("deliver", () => {
  const from = { mailFrom: "svc@example.com" };
  const mailing = aStack(from);
  const statements = (template: Template, prefix: string) =>
    rightsOf(template, descriptions.deliver).statements.filter(({ Action }) => list(Action).some((action) => action.startsWith(prefix)));

  it("alone publishes and mails, to one topic and from one address", () => {
    for (const name of Object.keys(descriptions) as (keyof typeof descriptions)[]) {
      const tells = [...rightsOf(mailing.template, descriptions[name]).actions].filter((action) => /^(sns|ses):/.test(action));
      expect(tells).toEqual(name === "deliver" ? ["sns:Publish", "ses:SendEmail"] : []);
    }
    const [topic] = Object.keys(mailing.template.findResources("AWS::SNS::Topic", { Properties: { DisplayName: "svc approvals" } }));
    expect(statements(mailing.template, "sns:")).toMatchObject([{ Resource: { Ref: topic } }]);
    const [mails] = statements(mailing.template, "ses:");
    expect(mails?.Condition).toEqual({ StringEquals: { "ses:FromAddress": "svc@example.com" } });
    expect(JSON.stringify(mails?.Resource)).toMatch(/:identity\/svc@example.com.*:configuration-set\//);
  });

  it("mails nothing where no sender is named, and makes no identity where one is verified already", () => {
    expect(statements(aws, "ses:")).toEqual([]);
    aws.resourceCountIs("AWS::SES::EmailIdentity", 0);
    mailing.template.hasResourceProperties("AWS::SES::EmailIdentity", { EmailIdentity: "svc@example.com" });
    const owned = aStack({ ...from, mailIdentity: "example.com" }).template;
    owned.resourceCountIs("AWS::SES::EmailIdentity", 0);
    expect(JSON.stringify(statements(owned, "ses:"))).toContain(":identity/example.com");
    expect(mailing.findings).toEqual([]);
  });

  it("reads objects, and writes nothing but what concerns notices; of keys it has those of webhooks", () => {
    const writes = statements(aws, "dynamodb:").filter(
      ({ Action, Resource }) =>
        JSON.stringify(Resource).includes("ObjectsTable") && list(Action).some((action) => /Put|Update|Delete|Write/.test(action)),
    );
    expect(writes.map(({ Action, Condition }) => ({ Action, Condition }))).toEqual([
      {
        Action: ["dynamodb:PutItem", "dynamodb:DeleteItem"],
        Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["RETRIES"] } },
      },
      { Action: "dynamodb:PutItem", Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["WEBHOOKS#*"] } } },
    ]);
    const ofJobs = statements(aws, "dynamodb:").filter(({ Resource }) => JSON.stringify(Resource).includes("JobsTable"));
    expect(ofJobs.flatMap(({ Action }) => list(Action))).toEqual(["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:PutItem"]);
    const purposes = statements(aws, "kms:").map(({ Condition }) => Condition);
    expect(purposes).toEqual([{ StringEquals: { "kms:EncryptionContext:service": "svc", "kms:EncryptionContext:purpose": "webhooks" } }]);
    expect([...actionsOf("deliver", "s3:"), ...actionsOf("deliver", "secretsmanager:"), ...actionsOf("deliver", "states:")]).toEqual([]);
  });

  it("hears of new notices alone, gives up one that cannot be delivered, and keeps the others", () => {
    const mapping = (template: Template) =>
      Object.values(template.findResources("AWS::Lambda::EventSourceMapping"))
        .map(({ Properties }) => Properties)
        .find(({ StartingPosition }) => StartingPosition !== undefined);
    expect(mapping(aws)).toMatchObject({
      StartingPosition: "LATEST",
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 20,
      MaximumRecordAgeInSeconds: 3600,
    });
    const pattern = JSON.parse(mapping(aws)?.["FilterCriteria"].Filters[0].Pattern);
    expect(pattern).toEqual({ eventName: ["INSERT"], dynamodb: { Keys: { pk: { S: [{ prefix: "NOTICE#" }] } } } });
    expect(mapping(locally.template)?.["BatchSize"]).toBe(1);
  });

  it("is told of mails that came back, of its own alone", () => {
    mailing.template.hasResourceProperties("AWS::Events::Rule", {
      EventPattern: Match.objectLike({
        source: ["aws.ses"],
        detail: { mail: { tags: { "ses:configuration-set": [{ Ref: Match.stringLikeRegexp("Mails") }] } } },
      }),
      Targets: [Match.objectLike({ Arn: { "Fn::GetAtt": [fn(mailing.template, descriptions.deliver).id, "Arn"] } })],
    });
  });
});

describe("tables", () => {
  it("keep jobs with expiry and exactly the indexes that lists need", () => {
    aws.hasResourceProperties("AWS::DynamoDB::Table", {
      TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true },
      BillingMode: "PAY_PER_REQUEST",
      DeletionProtectionEnabled: true,
      GlobalSecondaryIndexes: [
        Match.objectLike({
          IndexName: "list",
          Projection: {
            ProjectionType: "INCLUDE",
            NonKeyAttributes: ["ws", "path", "hash", "kind", "lang", "by", "parent", "root", "step", "tag", "trigger", "created"],
          },
        }),
        Match.objectLike({ IndexName: "path", Projection: { ProjectionType: "KEYS_ONLY" } }),
        Match.objectLike({ IndexName: "due", Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["ws", "state"] } }),
      ],
    });
  });

  it("keep objects with a stream, expiry and recovery", () => {
    aws.hasResourceProperties("AWS::DynamoDB::Table", {
      StreamSpecification: { StreamViewType: "NEW_IMAGE" },
      TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  });

  it("stay on AWS when the stack goes, and go with it locally", () => {
    for (const type of [
      "AWS::DynamoDB::Table",
      "AWS::S3::Bucket",
      "AWS::KMS::Key",
      "AWS::Cognito::UserPool",
      "AWS::SecretsManager::Secret",
    ]) {
      for (const { DeletionPolicy } of Object.values(aws.findResources(type))) expect(DeletionPolicy).toBe("Retain");
      for (const { DeletionPolicy } of Object.values(locally.template.findResources(type))) expect(DeletionPolicy).toBe("Delete");
    }
  });
});

describe("bucket", () => {
  it("is never public, speaks TLS only, and forgets what jobs left", () => {
    aws.hasResourceProperties("AWS::S3::Bucket", {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      VersioningConfiguration: Match.absent(),
      LifecycleConfiguration: {
        Rules: Match.arrayWith([Match.objectLike({ Prefix: "jobs/", ExpirationInDays: limits.jobRetentionMs / 86_400_000 + 1 })]),
      },
    });
    aws.hasResourceProperties("AWS::S3::BucketPolicy", {
      PolicyDocument: {
        Statement: Match.arrayWith([Match.objectLike({ Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } })]),
      },
    });
  });
});

describe("the two queues", () => {
  const all = Object.entries(aws.findResources("AWS::SQS::Queue"));
  const queues = all.filter(([, { Properties }]) => Properties.RedrivePolicy);
  const [deadLetters = ""] = all.flatMap(([id, { Properties }]) => (Properties.RedrivePolicy ? [] : [id]));
  const variables = fn(aws, descriptions.run).properties.Environment.Variables;

  it("are one for jobs with a priority and one for the rest, and who sends may send to both and to no other", () => {
    const ids = [variables.SVC_QUEUE_URL.Ref, variables.SVC_HIGH_QUEUE_URL.Ref];
    expect(new Set(ids)).toEqual(new Set(queues.map(([id]) => id)));
    expect(ids).toHaveLength(2);
    for (const name of ["run", "stream", "objects", "jobs", "people", "worker", "housekeeping", "deadLetter"] as const) {
      const targets = rightsOf(aws, descriptions[name])
        .statements.filter(({ Action }) => Action === "sqs:SendMessage")
        .flatMap(({ Resource }) => list(Resource));
      expect(targets).toEqual(ids.map((id) => ({ "Fn::GetAtt": [id, "Arn"] })));
    }
  });

  it("give a message up after five tries, to a queue that has a consumer", () => {
    for (const [, { Properties }] of queues) {
      expect(Properties.RedrivePolicy).toEqual({ deadLetterTargetArn: { "Fn::GetAtt": [deadLetters, "Arn"] }, maxReceiveCount: 5 });
    }
    aws.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
      EventSourceArn: { "Fn::GetAtt": [deadLetters, "Arn"] },
      FunctionName: { Ref: fn(aws, descriptions.deadLetter).id },
    });
  });

  it("hide a message for longer than a worker lives", () => {
    for (const [, { Properties }] of queues) expect(Properties.VisibilityTimeout).toBe(960);
    expect(fn(aws, descriptions.worker).properties.Timeout).toBeLessThan(960);
  });

  it("bring ten jobs at a time, take back only those that failed, and have workers of their own, so many and no more", () => {
    for (const [id] of queues) {
      aws.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
        EventSourceArn: { "Fn::GetAtt": [id, "Arn"] },
        BatchSize: 10,
        FunctionResponseTypes: ["ReportBatchItemFailures"],
        ScalingConfig: { MaximumConcurrency: 50 },
        FunctionName: { Ref: fn(aws, descriptions.worker).id },
      });
    }
  });
});

describe("functions", () => {
  it("keep their logs for 30 days, or for the 14 that the owner asked for", () => {
    const retention = (template: Template) =>
      new Set(Object.values(template.findResources("AWS::Logs::LogGroup")).map(({ Properties }) => Properties.RetentionInDays));
    expect(retention(aws)).toEqual(new Set([30]));
    expect(retention(aStack({ logRetentionDays: 14 }).template)).toEqual(new Set([14]));
    for (const { Properties } of Object.values(aws.findResources("AWS::Lambda::Function"))) {
      expect(Properties.LoggingConfig).toMatchObject({ LogFormat: "JSON", LogGroup: { Ref: expect.any(String) } });
    }
  });

  it("keep tenants apart in every runner on AWS, and executors know it", () => {
    for (const language of runnerLanguages) {
      expect(fn(aws, runner(language)).properties).toMatchObject({
        TenancyConfig: { TenantIsolationMode: "PER_TENANT" },
        Timeout: 900,
        MemorySize: 1769,
      });
    }
    for (const name of ["run", "worker"] as const) {
      expect(fn(aws, descriptions[name]).properties).toMatchObject({ Environment: { Variables: { SVC_TENANCY: "on" } } });
      expect(JSON.stringify(fn(locally.template, descriptions[name]).properties)).not.toContain("SVC_TENANCY");
    }
  });

  it("leave room for the API, approve and beat whatever else runs, unless the account's quota is too small to", () => {
    const reserved = (template: Template, names: readonly (keyof typeof descriptions)[]) =>
      names.map((name) => fn(template, descriptions[name]).properties.ReservedConcurrentExecutions);
    expect(reserved(aws, ["approve", "beat"])).toEqual([50, 50]);
    expect(reserved(aws, ["objects", "jobs", "people", "api"])).toEqual([15, 20, 10, 5]);
    // The functions of the API divide one reservation, however small it is.
    expect(reserved(aStack({ reservedConcurrency: 7 }).template, ["objects", "jobs", "people", "api"])).toEqual([2, 4, 1, undefined]);
    expect(JSON.stringify(aStack({ reservedConcurrency: 0 }).template.toJSON())).not.toContain("ReservedConcurrentExecutions");
  });

  it("run on current runtimes, on the cheaper processor, from plain zips: no Docker", () => {
    for (const { Properties } of Object.values(aws.findResources("AWS::Lambda::Function"))) {
      expect(["nodejs24.x", "python3.14"]).toContain(Properties.Runtime);
      expect(Properties.Architectures).toEqual(["arm64"]);
      expect(Properties.Code).toHaveProperty("S3Key");
      expect(Properties.PackageType).toBeUndefined();
    }
    aws.resourceCountIs("AWS::ECR::Repository", 0);
  });

  it("know what artefacts are built for", () => {
    expect(fn(aws, descriptions.worker).properties).toMatchObject({
      Environment: { Variables: { SVC_BUILD_TARGET: '{"os":"linux","arch":"arm64","python":"3.14","node":"24"}' } },
    });
  });

  it("housekeeping comes every minute", () => {
    aws.hasResourceProperties("AWS::Events::Rule", {
      ScheduleExpression: "rate(1 minute)",
      Targets: [Match.objectLike({ Arn: { "Fn::GetAtt": [fn(aws, descriptions.housekeeping).id, "Arn"] } })],
    });
  });
});

describe("alarms", () => {
  const alarms = Object.values(aws.findResources("AWS::CloudWatch::Alarm")).map(({ Properties }) => Properties);

  it("ring for waiting jobs of both queues, dead letters, 5xx, failing runners, failing housekeeping and outcomes that the service counts", () => {
    const metrics = alarms.map(({ MetricName }) => MetricName);
    expect(metrics).toContain("ApproximateAgeOfOldestMessage");
    expect(metrics.filter((name) => name === "ApproximateNumberOfMessagesVisible")).toHaveLength(2);
    expect(metrics).toContain("5XXError");
    expect(metrics.filter((name) => name === "Errors")).toHaveLength(runnerLanguages.length + 1);
    const counted = alarms.filter(({ Namespace }) => Namespace === "svc");
    expect(counted.map(({ MetricName }) => MetricName).sort()).toEqual(["DeadLetters", "LostAttempts", "NoticesFailed", "RunnerThrottles"]);
    for (const { Dimensions } of counted) expect(Dimensions).toEqual([{ Name: "service", Value: "svc" }]);
  });

  it("say so by mail, and when it is over", () => {
    const [topic] = Object.keys(aws.findResources("AWS::SNS::Topic", { Properties: { DisplayName: "svc alarms" } }));
    for (const { AlarmActions, OKActions } of alarms) expect([AlarmActions, OKActions]).toEqual([[{ Ref: topic }], [{ Ref: topic }]]);
    aws.hasResourceProperties("AWS::SNS::Subscription", { Protocol: "email", Endpoint: "ops@example.com" });
    aws.hasResourceProperties("AWS::SNS::TopicPolicy", {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: "Allow", Principal: { Service: "cloudwatch.amazonaws.com" }, Action: "sns:Publish" }),
        ]),
      },
    });
    expect(Object.keys(aStack().template.findResources("AWS::SNS::Subscription"))).toEqual([]);
  });

  it("are on a dashboard, with the ends of jobs and the retries of steps", () => {
    const [dashboard] = Object.values(aws.findResources("AWS::CloudWatch::Dashboard"));
    const body = JSON.stringify(dashboard?.Properties.DashboardBody);
    const outcomes = ["JobsSucceeded", "JobsFailed", "JobsCanceled", "JobsSkipped", "StepRetries", "LostAttempts", "RunnerThrottles"];
    const others = ["DeadLetters", "NoticesFailed", "ApproximateAgeOfOldestMessage", "ApproximateNumberOfMessagesVisible", "5XXError"];
    for (const metric of [...outcomes, ...others, "Errors"]) expect(body).toContain(metric);
  });
});

describe("an idle month", () => {
  it("has nothing in it that docs/aws.md does not price", () => {
    aws.resourceCountIs("AWS::KMS::Key", 2);
    aws.resourceCountIs("AWS::SecretsManager::Secret", 1);
    aws.resourceCountIs("AWS::CloudWatch::Dashboard", 1);
    aws.resourceCountIs("AWS::CloudWatch::Alarm", 15);
    for (const type of [
      "AWS::EC2::NatGateway",
      "AWS::EC2::VPCEndpoint",
      "AWS::Lambda::Alias",
      "AWS::WAFv2::WebACL",
      "AWS::ApiGateway::UsagePlan",
    ]) {
      aws.resourceCountIs(type, 0);
    }
    for (const { Properties } of Object.values(aws.findResources("AWS::ApiGateway::Stage")))
      expect(Properties.CacheClusterEnabled).toBeUndefined();
  });
});

describe("outputs", () => {
  it("name what tools and people need", () => {
    expect(Object.keys(aws.findOutputs("*"))).toEqual(
      expect.arrayContaining([
        ...["Url", "ApiId", "UserPoolId", "JobsTable", "ObjectsTable", "Bucket", "QueueUrl", "DeadLetterQueueUrl", "SetupFunction"],
        ...[
          "HousekeepingFunction",
          "WorkerFunction",
          "DeadLetterFunction",
          "RunnerFunctions",
          "BuildFunction",
          "DashboardName",
          "HighQueueUrl",
          "DeliverFunction",
          "NoticesTopic",
        ],
      ]),
    );
  });
});
