import { Match, type Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { runnerLanguages } from "../../../contract/languages.ts";
import { aStack } from "../../stack-fixture.ts";
import { actionsOf, aws, descriptions, fn, list, locally, rightsOf, runner, statementsOf, untrusted } from "../../stack-rights.ts";

const pages = "svc: pages of the console";

describe("function rights", () => {
  it.each(untrusted)("'%s', which executes code of users, has no right and no log group", (description) => {
    for (const template of [aws, locally.template]) {
      expect(rightsOf(template, description)).toEqual({ actions: new Set(), statements: [], managed: [] });
    }
    expect(fn(aws, description).properties.LoggingConfig.LogGroup).toBeUndefined();
    expect(fn(aws, description).properties.TenancyConfig).toEqual({ TenantIsolationMode: "PER_TENANT" });
  });

  it("every other function writes its own log group, and the pages have no other right", () => {
    for (const description of [...Object.values(descriptions), pages]) {
      if (untrusted.includes(description)) continue;
      const logs = rightsOf(aws, description).statements.filter(({ Action }) => list(Action).some((action) => /^logs:/.test(action)));
      const group = fn(aws, description).properties.LoggingConfig.LogGroup.Ref;
      expect(logs, description).toEqual([
        { Effect: "Allow", Action: ["logs:CreateLogStream", "logs:PutLogEvents"], Resource: { "Fn::GetAtt": [group, "Arn"] } },
      ]);
    }
    expect(rightsOf(aws, pages).statements).toHaveLength(1);
  });

  it("no function writes metrics except in its own log, and a filter makes metrics only from the log of API Gateway", () => {
    const actions = Object.values(aws.findResources("AWS::IAM::Role")).flatMap(({ Properties }) =>
      statementsOf(Properties).flatMap(({ Action }) => list(Action)),
    );
    expect(actions.filter((action) => /^cloudwatch:/.test(action))).toEqual([]);
    const filtered = Object.values(aws.findResources("AWS::Logs::MetricFilter")).map(({ Properties }) => Properties.LogGroupName.Ref);
    expect(filtered).toEqual([expect.stringMatching(/^GatewayAccessLog/)]);
  });

  it("no function has a managed policy or a right to all resources", () => {
    for (const description of [...Object.values(descriptions), ...untrusted]) {
      const { statements, managed } = rightsOf(aws, description);
      expect(managed).toEqual([]);
      for (const { Action, Resource } of statements) {
        expect(list(Action).filter((action) => action.includes("*"))).toEqual([]);
        // X-Ray has no resource-level permissions.
        if (JSON.stringify(Action) === JSON.stringify(["xray:PutTraceSegments", "xray:PutTelemetryRecords"])) continue;
        // These actions have no resource-level permissions either. Mappings are limited by a condition (lib/triggers/triggers.test.ts).
        if (description === descriptions.connect && list(Action).every((action) => /EventSourceMapping|TestEventPattern/.test(action)))
          continue;
        expect(list(Resource)).not.toContain("*");
      }
    }
  });

  it("every function that executes no user code is traced on AWS, and none is traced locally", () => {
    const modeOf = (template: Template, description: string) => fn(template, description).properties.TracingConfig?.Mode;
    const { build: _, ...traced } = descriptions;
    for (const description of Object.values(traced)) expect(modeOf(aws, description), description).toBe("Active");
    for (const description of [...untrusted, pages]) expect(modeOf(aws, description), description).toBeUndefined();
    const modes = Object.values(locally.template.findResources("AWS::Lambda::Function")).map(
      ({ Properties }) => Properties.TracingConfig?.Mode,
    );
    expect(modes.filter((mode) => mode === "Active")).toEqual([]);
  });

  it("every function has its own role", () => {
    const roles = Object.values(aws.findResources("AWS::Lambda::Function")).map(({ Properties }) => JSON.stringify(Properties.Role));
    expect(new Set(roles).size).toBe(roles.length);
  });

  it("only executors read the signing secret", () => {
    const may = (Object.keys(descriptions) as (keyof typeof descriptions)[]).filter(
      (name) => actionsOf(name, "secretsmanager:").length > 0,
    );
    expect(may).toEqual(["run", "routes", "worker", "step"]);
    for (const name of ["run", "routes"] as const) expect(actionsOf(name, "secretsmanager:")).toEqual(["secretsmanager:GetSecretValue"]);
  });

  it("only objects, sync, worker, step and receive decrypt secrets, only objects and sync create keys for them, and routes, approve, chat, deliver, jobs and people use only other keys", () => {
    const may = (Object.keys(descriptions) as (keyof typeof descriptions)[]).filter((name) => actionsOf(name, "kms:Decrypt").length > 0);
    expect(may).toEqual(["routes", "objects", "sync", "jobs", "people", "approve", "chat", "worker", "step", "deliver", "receive"]);
    expect(actionsOf("objects", "kms:")).toEqual(["kms:Decrypt", "kms:GenerateDataKey"]);
    expect(actionsOf("sync", "kms:")).toEqual(["kms:Decrypt", "kms:GenerateDataKey"]);
    expect(actionsOf("routes", "kms:")).toEqual(["kms:Decrypt"]);
    expect(actionsOf("worker", "kms:")).toEqual(["kms:Decrypt"]);
    expect(actionsOf("step", "kms:")).toEqual(["kms:Decrypt"]);
    const purposes = (["approve", "chat", "deliver", "jobs"] as const).map((name) =>
      rightsOf(aws, descriptions[name])
        .statements.filter(({ Action }) => list(Action).includes("kms:Decrypt"))
        .map(({ Condition }) => (Condition as { StringEquals: Record<string, string> }).StringEquals["kms:EncryptionContext:purpose"]),
    );
    expect(purposes).toEqual([["links", "webhooks"], ["chats"], ["webhooks", "chats"], ["links"]]);
    // The instance's own key, which seals pending sign-ins, has the workspace id that no workspace can have.
    const ofPeople = rightsOf(aws, descriptions.people).statements.filter(({ Action }) => list(Action).includes("kms:Decrypt"));
    expect(ofPeople.map(({ Condition }) => Condition)).toEqual([
      { StringEquals: { "kms:EncryptionContext:service": "svc", "kms:EncryptionContext:workspace": "-" } },
    ]);
    const [key] = Object.keys(aws.findResources("AWS::KMS::Key", { Properties: { EnableKeyRotation: true } }));
    for (const name of ["objects", "sync", "worker", "step", "receive"] as const) {
      const [statement] = rightsOf(aws, descriptions[name]).statements.filter(({ Action }) => list(Action).includes("kms:Decrypt"));
      expect(statement).toMatchObject({
        Resource: { "Fn::GetAtt": [key, "Arn"] },
        Condition: {
          StringEquals: { "kms:EncryptionContext:service": "svc" },
          // The keys of links and webhooks have a purpose, and the key of sign-ins has the workspace of the instance.
          Null: { "kms:EncryptionContext:purpose": "true" },
          StringNotEquals: { "kms:EncryptionContext:workspace": "-" },
        },
      });
      expect(fn(aws, descriptions[name]).properties.Environment.Variables).toHaveProperty("SVC_SECRETS_KEY");
    }
  });

  it("only housekeeping signs the record of approvals, and only approve, which cannot sign, checks a signature", () => {
    const may = (action: string) =>
      (Object.keys(descriptions) as (keyof typeof descriptions)[]).filter((name) => actionsOf(name, action).length > 0);
    expect([may("kms:GenerateMac"), may("kms:VerifyMac")]).toEqual([["housekeeping"], ["approve"]]);
    const [key] = Object.keys(aws.findResources("AWS::KMS::Key", { Properties: { KeySpec: "HMAC_256" } }));
    for (const name of ["housekeeping", "approve"] as const) {
      const statements = rightsOf(aws, descriptions[name]).statements.filter(({ Action }) => /Mac$/.test(String(Action)));
      expect(statements.map(({ Resource }) => Resource)).toEqual([{ "Fn::GetAtt": [key, "Arn"] }]);
    }
  });

  it("only executors invoke runners, only worker and step build, and functions that start flows may invoke flows", () => {
    const may = (Object.keys(descriptions) as (keyof typeof descriptions)[]).filter((name) => actionsOf(name, "lambda:").length > 0);
    expect(may).toEqual([
      "run",
      "routes",
      "triggers",
      "approve",
      "chat",
      "worker",
      "housekeeping",
      "deadLetter",
      "step",
      "settle",
      "connect",
    ]);
    const targets = (
      name: "run" | "routes" | "triggers" | "worker" | "deadLetter" | "housekeeping" | "step" | "settle" | "chat" | "approve",
    ) =>
      rightsOf(aws, descriptions[name])
        .statements.filter(({ Action }) => Action === "lambda:InvokeFunction")
        .flatMap(({ Resource }) => list(Resource));
    const arn = (description: string) => ({ "Fn::GetAtt": [fn(aws, description).id, "Arn"] });
    expect(targets("run")).toEqual(expect.arrayContaining([...runnerLanguages.map(runner), descriptions.worker].map(arn)));
    expect(targets("run")).not.toContainEqual(arn(descriptions.build));
    expect(targets("routes")).toEqual(targets("run"));
    expect(targets("worker")).toEqual(expect.arrayContaining([...untrusted, descriptions.flows].map(arn)));
    expect(targets("step")).toEqual(expect.arrayContaining(untrusted.map(arn)));
    for (const name of ["settle", "deadLetter"] as const) expect(targets(name)).toEqual([arn(descriptions.flows)]);
    expect(targets("housekeeping")).toEqual(
      [descriptions.connect, descriptions.receive, descriptions.objects, descriptions.flows].map(arn),
    );
    expect(targets("triggers")).toEqual([arn(descriptions.connect)]);
    expect(targets("chat")).toEqual([arn(descriptions.approve)]);
    expect(targets("approve")).toEqual([arn(descriptions.deliver)]);
  });

  it("one function creates state machines, which can only invoke step", () => {
    const may = (Object.keys(descriptions) as (keyof typeof descriptions)[]).filter((name) =>
      [...actionsOf(name, "states:"), ...actionsOf(name, "iam:")].some((action) => /Create|PassRole/.test(action)),
    );
    expect(may).toEqual(["flows"]);
    const [machines] = Object.values(aws.findResources("AWS::IAM::Role", { Properties: { Description: "svc: state machines of flows" } }));
    expect(JSON.stringify(machines?.Properties.AssumeRolePolicyDocument)).toContain("states.amazonaws.com");
    expect(statementsOf(machines?.Properties ?? {})).toEqual([
      { Action: "lambda:InvokeFunction", Effect: "Allow", Resource: { "Fn::GetAtt": [fn(aws, descriptions.step).id, "Arn"] } },
    ]);
    for (const name of Object.keys(descriptions) as (keyof typeof descriptions)[]) {
      for (const { Action, Resource } of rightsOf(aws, descriptions[name]).statements) {
        if (list(Action).some((action) => action.startsWith("states:") && action !== "states:ListStateMachines"))
          expect(JSON.stringify(Resource)).toMatch(/(stateMachine|execution):svc-\*/);
      }
    }
  });

  it("settle receives the failures and stops of executions of the stack's own machines", () => {
    aws.hasResourceProperties("AWS::Events::Rule", {
      EventPattern: Match.objectLike({ source: ["aws.states"], detail: Match.objectLike({ status: ["FAILED", "TIMED_OUT", "ABORTED"] }) }),
      Targets: [Match.objectLike({ Arn: { "Fn::GetAtt": [fn(aws, descriptions.settle).id, "Arn"] } })],
    });
  });

  it("only flows creates state machines, and only housekeeping deletes those of the stack", () => {
    const may = (action: string) =>
      (Object.keys(descriptions) as (keyof typeof descriptions)[]).filter((name) => actionsOf(name).includes(`states:${action}`));
    expect(may("CreateStateMachine")).toEqual(["flows"]);
    expect(may("DeleteStateMachine")).toEqual(["housekeeping"]);
    // A function that ends a flow may have to resume its parent, and stop its running steps.
    expect(may("SendTaskSuccess").sort()).toEqual(["approve", "deadLetter", "housekeeping", "jobs", "people", "settle", "step", "worker"]);
    expect(may("StopExecution").sort()).toEqual(["housekeeping", "jobs", "people", "settle", "step", "worker"]);
    const removes = rightsOf(aws, descriptions.housekeeping).statements.find(({ Action }) => Action === "states:DeleteStateMachine");
    expect(removes?.Condition).toEqual({ StringEquals: { "aws:ResourceTag/svc": "svc" } });
    expect(JSON.stringify(removes?.Resource)).toContain(":stateMachine:svc-*");
    const names = [descriptions.flows, descriptions.housekeeping].map((name) => fn(aws, name).properties.Environment.Variables.SVC_STACK);
    expect(names).toEqual(["svc", "svc"]);
  });

  it("jobs and objects return executions and machines, on AWS with console links, and may not read them", () => {
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

  it("jobs writes only uses of tokens, the audit log, saved inputs, links, bulk actions and link keys to the objects table", () => {
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
      {
        Action: ["dynamodb:PutItem", "dynamodb:DeleteItem"],
        Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["INPUT#*", "INPUTARGS#*"] } },
      },
      { Action: "dynamodb:PutItem", Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["SHARES#*"] } } },
      { Action: "dynamodb:PutItem", Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["BULK#*", "BULKPART#*"] } } },
      { Action: "dynamodb:PutItem", Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["LINKS#*"] } } },
    ]);
  });

  it("only objects, of the functions of the API, accesses scripts and files, and only objects and jobs delete", () => {
    const placesOf = (name: keyof typeof descriptions, action: string) =>
      rightsOf(aws, descriptions[name])
        .statements.filter(({ Action }) => list(Action).includes(action))
        .flatMap(({ Resource }) => list(Resource))
        .flatMap((place) => /\/(\w+)\/\*"/.exec(JSON.stringify(place))?.[1] ?? []);
    const places = (action: string) => (["objects", "jobs", "people", "api"] as const).map((name) => placesOf(name, action));
    const all = ["jobs", "scripts", "flows", "apps", "files"];
    expect(places("s3:GetObject")).toEqual([[...all, "artefacts"], ["jobs", "flows"], [], []]);
    expect(places("s3:PutObject")).toEqual([all, ["jobs"], ["jobs"], []]);
    expect(places("s3:DeleteObject")).toEqual([all, ["jobs"], [], []]);
  });

  it("a beat accesses one job's items and lists public keys", () => {
    expect(actionsOf("beat", "sqs:")).toEqual([]);
    const objects = rightsOf(aws, descriptions.beat).statements.filter(({ Resource }) => JSON.stringify(Resource).includes("ObjectsTable"));
    expect(objects.map(({ Action, Condition }) => [Action, Condition])).toEqual([
      ["dynamodb:GetItem", undefined],
      ["dynamodb:Query", { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["KEYS"] } }],
    ]);
    expect(actionsOf("beat")).toContain("dynamodb:Query");
    expect(actionsOf("beat")).not.toContain("dynamodb:DeleteItem");
    // It joins the output that earlier beats stored with the result, and lists nothing.
    expect(actionsOf("beat", "s3:").toSorted()).toEqual(["s3:GetObject", "s3:PutObject"]);
  });

  it("run writes only its public key, uses of tokens and idempotency keys to the objects table", () => {
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

  it("stream runs no code and has no key: it queues jobs and reads them", () => {
    expect([...actionsOf("stream", "lambda:"), ...actionsOf("stream", "secretsmanager:"), ...actionsOf("stream", "kms:")]).toEqual([]);
    expect(actionsOf("stream", "sqs:")).toEqual(actionsOf("run", "sqs:"));
  });

  it("only setup and people access the user pool, and setup accesses no job", () => {
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

  it("run and stream, which accept webhooks, write only files of jobs to the bucket", () => {
    for (const name of ["run", "stream"] as const) {
      const writes = rightsOf(aws, descriptions[name]).statements.filter(({ Action }) => list(Action).includes("s3:PutObject"));
      expect(writes.length).toBeGreaterThan(0);
      expect(
        writes.flatMap(({ Resource }) => list(Resource)).every((place) => /\/(jobs|long-lived)\/\*"/.test(JSON.stringify(place))),
      ).toBe(true);
    }
  });

  it("users' endpoints are inside the network only if the deployment allows it, and locally on this machine", () => {
    const opened = (template: Template) => fn(template, descriptions.objects).properties.Environment.Variables.SVC_EGRESS_ALLOW;
    const asked = aStack({ egressAllow: "10.1.0.0/16" }).template;
    expect([aws, locally.template, asked].map(opened)).toEqual(["", "127.0.0.0/8,::1/128", "10.1.0.0/16"]);
  });

  it("functions access the bucket's objects by folder", () => {
    for (const name of Object.keys(descriptions) as (keyof typeof descriptions)[]) {
      for (const { Action, Resource } of rightsOf(aws, descriptions[name]).statements) {
        if (!list(Action).some((action) => /^s3:.*Object/.test(action))) continue;
        expect(
          list(Resource).every((resource) =>
            /\/(jobs|long-lived|artefacts|scripts|flows|apps|files|mail|archives|deployments)\/\*"/.test(JSON.stringify(resource)),
          ),
        ).toBe(true);
      }
    }
  });
});
