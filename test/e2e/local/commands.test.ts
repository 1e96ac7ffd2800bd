import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { GetFunctionConcurrencyCommand, ListEventSourceMappingsCommand, PutFunctionConcurrencyCommand } from "@aws-sdk/client-lambda";
import { DeleteObjectCommand, HeadBucketCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { DescribeSecretCommand } from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runCommand } from "../../../engine/commands/command.ts";
import { runTimeKinds } from "../../../engine/commands/destroy/run-time-kinds.ts";
import { assumptions } from "../../../engine/commands/smoke/assumptions.ts";
import { engineCredentials } from "../../../engine/engine/child-env.ts";
import { ensurePythonTools } from "../../../engine/launch/venv.ts";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace } from "../../support/api/workspace.ts";
import { awsClients } from "../../support/engine/aws.ts";
import { createStack, describeStack } from "../../support/engine/cloudformation.ts";
import { endCommands, npmRun } from "../../support/engine/commands.ts";
import { createAll, findLeft, sourcesTemplate } from "../../support/engine/run-time-resources.ts";
import { until } from "../../support/until.ts";

// Six builds, and some calls of the AWS CLI, each of which starts a Python process.
vi.setConfig({ testTimeout: 400_000 });

afterAll(endCommands);

/** A function that may change items, with a reservation and an event source; one without either; and one that may only read. */
const writersTemplate = (name: string) => {
  const role = (action: string) => ({
    Type: "AWS::IAM::Role",
    Properties: {
      AssumeRolePolicyDocument: {
        Statement: [{ Effect: "Allow", Principal: { Service: "lambda.amazonaws.com" }, Action: "sts:AssumeRole" }],
      },
      Policies: [{ PolicyName: "table", PolicyDocument: { Statement: [{ Effect: "Allow", Action: action, Resource: "*" }] } }],
    },
  });
  const fn = (functionName: string, roleId: string, more: object = {}) => ({
    Type: "AWS::Lambda::Function",
    Properties: {
      ...{ FunctionName: `${name}-${functionName}`, Runtime: "nodejs24.x", Handler: "index.handler", Timeout: 900 },
      Code: { ZipFile: "exports.handler = async () => {};" },
      Role: { "Fn::GetAtt": [roleId, "Arn"] },
      Environment: { Variables: { SVC_STACK: name } },
      ...more,
    },
  });
  return {
    Resources: {
      WriterRole: role("dynamodb:PutItem"),
      ReaderRole: role("dynamodb:GetItem"),
      Reserved: fn("reserved", "WriterRole", { ReservedConcurrentExecutions: 7 }),
      Unreserved: fn("unreserved", "WriterRole"),
      Reader: fn("reader", "ReaderRole", { ReservedConcurrentExecutions: 3 }),
      Queue: { Type: "AWS::SQS::Queue" },
      Source: {
        Type: "AWS::Lambda::EventSourceMapping",
        Properties: { FunctionName: { Ref: "Reserved" }, EventSourceArn: { "Fn::GetAtt": ["Queue", "Arn"] } },
      },
    },
  };
};

describe("npm run smoke", () => {
  const lines = (output: string) =>
    output.split("\n").flatMap((line) => /^(ok {2}|FAIL) (\S+(?: \S+)*)/.exec(line)?.slice(1, 3).join(" ") ?? []);

  it("the command saves, builds, runs and deletes a script in each language, at any URL", async () => {
    const ws = await newWorkspace();
    const smoke = npmRun("smoke", [
      ...["--url", shared().url, "--token", shared().token],
      ...["--workspace", ws.id, "--languages", "bash,bun,deno,nodejs,python3,go"],
    ]);
    expect([await smoke.ended, smoke.output()]).toEqual([0, expect.not.stringContaining("FAIL")]);
    expect(lines(smoke.output())).toHaveLength(2 + 6 * 5);
    expect((await ws.get("scripts/list_paths")).json).toEqual([]);
  });

  it("the command reads the token from the environment, uses the first workspace, and fails where a step fails", async () => {
    const smoke = npmRun("smoke", ["--url", `${shared().url}/`, "--languages", "bash"], { SVC_TOKEN: shared().token });
    expect([await smoke.ended, smoke.output()]).toEqual([0, expect.stringMatching(/^ok +bash: delete/m)]);
    const elsewhere = npmRun("smoke", ["--url", shared().url, "--token", shared().token, "--workspace", "nowhere"]);
    expect(await elsewhere.ended).toBe(1);
    expect(lines(elsewhere.output())).toEqual(["ok   version", "FAIL token in nowhere"]);
  });

  it("the checks of the first hour remove what they saved, explain what to do about a failed check, and name the checks that only a person can make", async () => {
    const ws = await newWorkspace();
    // The check of streams takes all that a token may have open.
    const token = expectStatus(await ws.api.post("users/tokens/create", { label: "first hour" }), 201).text;
    const smoke = npmRun(
      "smoke",
      [
        ...["--url", shared().url, "--token", token, "--workspace", ws.id, "--languages", "bash"],
        ...["--first-hour", "--quick", "--sources", "--mail", shared().email],
      ],
      { ...engineCredentials, AWS_ENDPOINT_URL: shared().endpoint },
    );
    expect(await smoke.ended).toBe(1);
    const checked = assumptions.filter(({ by }) => by === "command");
    // No server listens at one of the instance's providers.
    const wanted = checked.map(({ id, title }) => `${id === "login" ? "FAIL" : "ok  "} ${title}`);
    expect(lines(smoke.output()).slice(-wanted.length - 1)).toEqual([...wanted, "ok   remove the scripts and flows"]);
    const login = checked.find(({ id }) => id === "login");
    expect(smoke.output()).toContain(`The login silent returned 502 without a redirect.\n     ${login?.otherwise}`);
    expect(smoke.output()).toContain(`SES accepted the mail to ${shared().email}`);
    expect(smoke.output()).toMatch(/the password of a route .*asks for a password, and runs with it$/m);
    for (const trigger of ["a schedule", "a queue"])
      expect(smoke.output()).toMatch(new RegExp(`^ok +${trigger} .*a run after \\d+ s$`, "m"));
    for (const { title, holds } of assumptions.filter(({ by }) => by === "person"))
      expect(smoke.output()).toContain(`- ${title}: ${holds}`);
    expect((await ws.get("scripts/list_paths")).json).toEqual([]);
    expect((await ws.get("flows/list_paths")).json).toEqual([]);
  });

  it.each([
    ["without a token", [], /The URL or the token is missing: npm run smoke/],
    ["with a wrong token", ["--token", "wrong"], /GET \/api\/workspaces\/list returned 401: This token is invalid/],
    ["for a language it does not know", ["--token", "any", "--languages", "cobol"], /There is no smoke test for cobol/],
    ["with an option it does not know", ["--tokens", "x"], /Usage: npm run smoke/],
  ])("the command %s ends with one sentence", async (_case, args, sentence) => {
    const smoke = npmRun("smoke", ["--url", shared().url, ...args], { SVC_TOKEN: "" });
    expect(await smoke.ended).toBe(1);
    expect(smoke.output()).toMatch(sentence);
    expect(smoke.output()).not.toMatch(/^ {4}at /m);
  });
});

/**
 * A stack with the same kinds of resources as that of the service, whose data remains when the stack is deleted. The real stack deletes its data
 * on the local engine.
 */
const template = (name: string, topics: number) => ({
  Resources: {
    ...sourcesTemplate(name),
    Queue: { Type: "AWS::SQS::Queue" },
    Table: {
      Type: "AWS::DynamoDB::Table",
      DeletionPolicy: "Retain",
      Properties: {
        TableName: `${name}-table`,
        DeletionProtectionEnabled: true,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
        KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
      },
    },
    Bucket: {
      Type: "AWS::S3::Bucket",
      DeletionPolicy: "Retain",
      Properties: { BucketName: `${name}-bucket`, VersioningConfiguration: { Status: "Enabled" } },
    },
    Logs: { Type: "AWS::Logs::LogGroup", DeletionPolicy: "Retain", Properties: { LogGroupName: `${name}-logs` } },
    ...Object.fromEntries(Array.from({ length: topics }, (_, index) => [`Topic${index}`, { Type: "AWS::SNS::Topic" }])),
    Secret: { Type: "AWS::SecretsManager::Secret", DeletionPolicy: "Retain", Properties: { Name: `${name}-secret` } },
  },
});

describe("commands for a deployment on AWS", () => {
  const bin = mkdtempSync(path.join(tmpdir(), "svc-aws-"));
  let env: Record<string, string>;
  beforeAll(async () => {
    // The AWS CLI itself, against the local engine.
    const { uv } = await ensurePythonTools(() => {});
    const python = await runCommand(uv, [
      ..."tool run --quiet --from awscli==1.45.11 python -c".split(" "),
      "import sys; print(sys.executable)",
    ]);
    // Python stores what it compiles, so that only the first of many calls compiles the CLI.
    writeFileSync(path.join(bin, "aws"), `#!/bin/sh\nunset PYTHONDONTWRITEBYTECODE\nexec "${python.output.trim()}" -m awscli "$@"\n`);
    chmodSync(path.join(bin, "aws"), 0o755);
    env = {
      ...engineCredentials,
      AWS_ENDPOINT_URL: shared().endpoint,
      AWS_PAGER: "",
      PATH: `${bin}${path.delimiter}${process.env["PATH"]}`,
    };
  });
  afterAll(() => rmSync(bin, { recursive: true, force: true }));

  const clients = () => awsClients(shared());
  const exists = (call: Promise<unknown>) =>
    call.then(
      () => true,
      () => false,
    );
  const left = async (name: string) => {
    const { dynamodb, s3, secrets } = clients();
    return {
      table: await exists(dynamodb.send(new DescribeTableCommand({ TableName: `${name}-table` }))),
      bucket: await exists(s3.send(new HeadBucketCommand({ Bucket: `${name}-bucket` }))),
      secret: await exists(secrets.send(new DescribeSecretCommand({ SecretId: `${name}-secret` }))),
    };
  };
  const create = async (name: string, body: object, options: Record<string, string> = {}) => {
    await createStack(name, body, options);
    await until(async () => (await describeStack(name)).includes("CREATE_COMPLETE"), { what: `the stack ${name}`, timeoutMs: 60_000 });
  };
  const aStack = async (name: string, { topics = 0, ...options }: { topics?: number; EnableTerminationProtection?: string } = {}) => {
    await create(name, template(name, topics), options);
    // An object with an earlier version, and one that is deleted: both remain in the bucket.
    for (const Body of ["old", "new"]) await clients().s3.send(new PutObjectCommand({ Bucket: `${name}-bucket`, Key: "a/b", Body }));
    await clients().s3.send(new PutObjectCommand({ Bucket: `${name}-bucket`, Key: "a/gone", Body: "gone" }));
    await clients().s3.send(new DeleteObjectCommand({ Bucket: `${name}-bucket`, Key: "a/gone" }));
  };
  const npmAws = async (args: string[]) => (await runCommand(path.join(bin, "aws"), args, { env: { ...process.env, ...env } })).output;

  it("the command requires the stack's name, or --force without a terminal, before it does anything", async () => {
    // CloudFormation describes the first 100 resources of a stack without being asked for the next page.
    await aStack("svc-kept", { topics: 100 });
    const destroy = npmRun("aws:destroy", ["--stack", "svc-kept", "--delete-data"], env);
    expect(await destroy.ended).toBe(1);
    expect(destroy.output()).toContain("There is no terminal for the confirmation. Pass --force to delete without it.");
    expect(destroy.output()).toMatch(/DynamoDB::Table +svc-kept-table/);
    expect(await left("svc-kept")).toMatchObject({ table: true, bucket: true, secret: true });
    expect(await describeStack("svc-kept")).toContain("CREATE_COMPLETE");
  });

  it("the command removes the stack and what its functions created, and retains data unless it is told to delete them", async () => {
    await create("svc-else", { Resources: sourcesTemplate("svc-else") });
    const [own, other] = [await createAll("svc-kept"), await createAll("svc-else")];
    expect(await findLeft(own)).toEqual(Object.keys(runTimeKinds));
    const destroy = npmRun("aws:destroy", ["--stack", "svc-kept", "--force"], env);
    expect([await destroy.ended, destroy.output()]).toEqual([0, expect.stringContaining("Its data will remain")]);
    for (const { title } of Object.values(runTimeKinds)) expect(destroy.output()).toContain(`1 ${title}`);
    // CloudFormation lists the resources of a deleted stack by its ARN for 90 days.
    expect(destroy.output()).toMatch(/To continue later.*--stack arn:\S+:stack\/svc-kept\//);
    await until(async () => (await findLeft(own)).length === 0, { what: "the end of what the functions created" });
    expect(await findLeft(other)).toEqual(Object.keys(runTimeKinds));
    expect(await left("svc-kept")).toMatchObject({ table: true, bucket: true, secret: true });
    const groups = await npmAws(["logs", "describe-log-groups", "--log-group-name-prefix", "svc-kept-"]);
    expect(groups).not.toContain("svc-kept-logs");
  });

  it("the option --delete-data also removes a protected stack, protected tables, buckets with old versions, and secrets", async () => {
    await aStack("svc-gone", { EnableTerminationProtection: "true" });
    const destroy = npmRun("aws:destroy", ["--stack", "svc-gone", "--delete-data", "--force"], env);
    expect([await destroy.ended, destroy.output()]).toEqual([0, expect.stringContaining("Its data will also be deleted permanently")]);
    expect(await left("svc-gone")).toMatchObject({ table: false, bucket: false, secret: false });
  });

  it("aws:check reads an account, and names what would stop a deployment", async () => {
    await create("taken-svc", { Resources: { Queue: { Type: "AWS::SQS::Queue" } } });
    const settings = JSON.stringify({ stackName: "taken-svc", alarmEmail: "a@example.com" });
    const check = npmRun("aws:check", ["-c", `svc=${settings}`], { ...env, AWS_REGION: "us-east-1" });
    expect([await check.ended, check.output()]).toEqual([
      1,
      expect.stringMatching(/^BLOCKS +stack taken-svc +Another stack has this name\.$/m),
    ]);
    // The engine answers these calls in the form of AWS; an account of it was never asked for a distribution.
    for (const line of [
      "ok +credentials +arn:aws:iam::000000000000:root",
      "ok +bootstrap +version \\d+",
      "ok +API Gateway's role +none",
      "\\? +CloudFront +The account has no",
    ])
      expect(check.output()).toMatch(new RegExp(`^${line}`, "m"));
    // Its quota is small.
    expect(check.output()).toMatch(/^BLOCKS +concurrency +These settings reserve \d+ executions/m);
    expect(check.output()).toMatch(
      /npm run aws:deploy -- -c svc='\{"stackName":"my-svc","alarmEmail":"a@example.com","reservedConcurrency":\d+/,
    );
  });

  it("aws:pause stops every function that can write to a table with its event sources, and aws:resume restores the template", async () => {
    const { lambda } = clients();
    const name = "svc-paused";
    await create(name, writersTemplate(name), { "Capabilities.member.1": "CAPABILITY_IAM" });
    const state = async () => {
      const reservations = ["reserved", "unreserved", "reader"].map(async (each) => {
        const { ReservedConcurrentExecutions: reserved } = await lambda.send(
          new GetFunctionConcurrencyCommand({ FunctionName: `${name}-${each}` }),
        );
        return reserved;
      });
      const { EventSourceMappings: sources = [] } = await lambda.send(
        new ListEventSourceMappingsCommand({ FunctionName: `${name}-reserved` }),
      );
      return { reserved: await Promise.all(reservations), sources: sources.map((source) => source.State) };
    };
    const run = async (command: string) => {
      const running = npmRun(command, ["--stack", name], env);
      return [await running.ended, running.output()];
    };
    // The local engine does not read reservations from templates.
    expect(await state()).toMatchObject({ sources: ["Enabled"] });
    expect(await run("aws:pause")).toEqual([0, expect.stringContaining("the last of them ends within 15 minutes")]);
    const [, , reader] = (await state()).reserved;
    expect(await state()).toEqual({ reserved: [0, 0, reader], sources: ["Disabled"] });
    // A second call changes nothing, and one that was interrupted left a part of the functions as they were.
    await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName: `${name}-reserved`, ReservedConcurrentExecutions: 7 }));
    expect(await run("aws:pause")).toEqual([0, expect.any(String)]);
    expect(await state()).toEqual({ reserved: [0, 0, reader], sources: ["Disabled"] });

    const restored = { reserved: [7, undefined, reader], sources: ["Enabled"] };
    for (const _call of ["first", "second"]) {
      expect(await run("aws:resume")).toEqual([0, expect.any(String)]);
      expect(await state()).toEqual(restored);
    }
  });

  it("a stack that does not exist is named in the error", async () => {
    const destroy = npmRun("aws:destroy", ["--stack", "svc-nowhere", "--force"], env);
    expect(await destroy.ended).toBe(1);
    expect(destroy.output()).toContain("svc-nowhere");
    expect(destroy.output()).not.toMatch(/^ {4}at /m);
  });
});
