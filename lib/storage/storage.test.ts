import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { env } from "../../contract/env.ts";
import { limits } from "../../contract/limits.ts";
import { aStack } from "../stack-fixture.ts";
import { actionsOf, aws, descriptions, fn, locally, rightsOf } from "../stack-rights.ts";

describe("tables", () => {
  it("the jobs table has an expiry and exactly the indexes that lists need", () => {
    aws.hasResourceProperties("AWS::DynamoDB::Table", {
      TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true },
      BillingMode: "PAY_PER_REQUEST",
      GlobalSecondaryIndexes: [
        Match.objectLike({
          IndexName: "list",
          Projection: {
            ProjectionType: "INCLUDE",
            NonKeyAttributes: ["ws", "path", "hash", "kind", "lang", "by", "parent", "root", "step", "tag", "trigger", "created"],
          },
        }),
        Match.objectLike({ IndexName: "path", Projection: { ProjectionType: "KEYS_ONLY" } }),
        // Its key attributes exist since the first release, so that stored jobs are in it.
        Match.objectLike({
          IndexName: "parent",
          KeySchema: [
            { AttributeName: "parent", KeyType: "HASH" },
            { AttributeName: "ls", KeyType: "RANGE" },
          ],
          Projection: { ProjectionType: "KEYS_ONLY" },
        }),
        Match.objectLike({ IndexName: "due", Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["ws", "state"] } }),
      ],
    });
  });

  it("the objects table has a stream and an expiry", () => {
    aws.hasResourceProperties("AWS::DynamoDB::Table", {
      StreamSpecification: { StreamViewType: "NEW_IMAGE" },
      TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true },
    });
  });

  it("both tables have point-in-time recovery", () => {
    aws.allResourcesProperties("AWS::DynamoDB::Table", { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } });
  });
});

const dataTypes = ["AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::KMS::Key", "AWS::Cognito::UserPool", "AWS::SecretsManager::Secret"];

describe("stored data", () => {
  it.each(dataTypes)("a resource of the type %s outlives the stack on AWS, but not a first deployment that failed", (type) => {
    const onAws = Object.values(aws.findResources(type));
    expect(onAws.length).toBeGreaterThan(0);
    for (const { DeletionPolicy, UpdateReplacePolicy } of onAws)
      expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(["RetainExceptOnCreate", "Retain"]);
    for (const { DeletionPolicy } of Object.values(locally.template.findResources(type))) expect(DeletionPolicy).toBe("Delete");
  });

  it("nothing else outlives the stack, except for the account-wide role that writes the gateway's logs", () => {
    const retained = Object.values(aws.toJSON()["Resources"] as Record<string, { Type: string; DeletionPolicy?: string }>)
      .filter(({ DeletionPolicy }) => DeletionPolicy?.startsWith("Retain"))
      .map(({ Type }) => Type);
    expect([...new Set(retained)].sort()).toEqual([...dataTypes, "AWS::ApiGateway::Account", "AWS::IAM::Role"].sort());
    expect(retained.filter((type) => type === "AWS::IAM::Role")).toHaveLength(1);
  });

  it("refuses to be deleted only if the setting says so, because a failed first deployment could not be removed", () => {
    const isProtected = ({ template, protection }: ReturnType<typeof aStack>) => [
      ...Object.values(template.findResources("AWS::DynamoDB::Table")).map(
        ({ Properties }) => Properties.DeletionProtectionEnabled ?? false,
      ),
      ...Object.values(template.findResources("AWS::Cognito::UserPool")).map(
        ({ Properties }) => Properties.DeletionProtection === "ACTIVE",
      ),
      protection,
    ];
    expect(isProtected(aStack())).toEqual([false, false, false, false]);
    expect(isProtected(aStack({ deletionProtection: true }))).toEqual([true, true, true, true]);
    expect(isProtected(aStack({ deletionProtection: true, retainData: false }))).toEqual([false, false, false, false]);
  });
});

describe("restored tables", () => {
  const restored = aStack({ restored: { jobsTable: "svc-jobs-restored", objectsTable: "svc-objects-restored" } }).template;
  const tables = Object.entries(restored.findResources("AWS::DynamoDB::Table"));
  const names = new Map(tables.map(([id, { Properties }]) => [Properties.TableName, id]));

  it("replace the tables of the stack, with all their properties, and are other resources", () => {
    expect([...names.keys()].sort()).toEqual(["svc-jobs-restored", "svc-objects-restored"]);
    const before = Object.entries(aws.findResources("AWS::DynamoDB::Table"));
    for (const [id, { Properties, DeletionPolicy }] of tables) {
      expect(before.map(([known]) => known)).not.toContain(id);
      // CloudFormation imports only resources that it will not delete with the stack.
      expect(DeletionPolicy).toBe("RetainExceptOnCreate");
      const { TableName: _, ...others } = Properties;
      expect(before.map(([, known]) => known.Properties)).toContainEqual(others);
    }
  });

  it("have the streams of the template if they are restored as docs/aws.md says, because a restore copies none", () => {
    const commands = readFileSync(join(import.meta.dirname, "../../docs/aws.md"), "utf8");
    const tables = Object.entries(aws.findResources("AWS::DynamoDB::Table"));
    expect(tables).toHaveLength(2);
    for (const [id, { Properties }] of tables) {
      const setting = `StreamEnabled=true,StreamViewType=${Properties.StreamSpecification.StreamViewType}`;
      expect(commands).toContain(
        `--table-name svc-${id.startsWith("Jobs") ? "Jobs" : "Objects"}-restored --stream-specification ${setting}\n`,
      );
    }
  });

  it("are used by every function, event source and alarm", () => {
    const known = Object.keys(aws.findResources("AWS::DynamoDB::Table"));
    for (const id of known) expect(JSON.stringify(restored.toJSON())).not.toContain(id);
    restored.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
      EventSourceArn: { "Fn::GetAtt": [names.get("svc-objects-restored"), "StreamArn"] },
    });
  });
});

describe("bucket", () => {
  it("an old version and its delete marker disappear from every folder after a week", () => {
    aws.hasResourceProperties("AWS::S3::Bucket", {
      LifecycleConfiguration: {
        Rules: Match.arrayWith([
          {
            Id: "versions",
            Status: "Enabled",
            NoncurrentVersionExpiration: { NoncurrentDays: 7 },
            ExpiredObjectDeleteMarker: true,
            Prefix: Match.absent(),
          },
        ]),
      },
    });
    expect(JSON.stringify(locally.template.findResources("AWS::S3::Bucket"))).not.toContain("Versioning");
  });

  it("the bucket is private, requires TLS, and expires the files of jobs", () => {
    aws.hasResourceProperties("AWS::S3::Bucket", {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      VersioningConfiguration: { Status: "Enabled" },
      LifecycleConfiguration: {
        Rules: Match.arrayWith([
          Match.objectLike({ Prefix: "jobs/", ExpirationInDays: limits.jobRetentionMs / 86_400_000 + 1, Status: "Enabled" }),
          Match.objectLike({ Prefix: "long-lived/", ExpirationInDays: 1111, Status: "Enabled" }),
        ]),
      },
    });
    aws.hasResourceProperties("AWS::S3::BucketPolicy", {
      PolicyDocument: {
        Statement: Match.arrayWith([Match.objectLike({ Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } })]),
      },
    });
  });
});

describe("expired jobs", () => {
  it("reach the function remove by the stream of the table, and no other record does", () => {
    aws.hasResourceProperties("AWS::DynamoDB::Table", {
      StreamSpecification: { StreamViewType: "OLD_IMAGE" },
      TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true },
    });
    const { id } = fn(aws, descriptions.remove);
    const [mapping, ...others] = Object.values(aws.findResources("AWS::Lambda::EventSourceMapping")).filter(
      ({ Properties }) => Properties.FunctionName.Ref === id,
    );
    expect(others).toEqual([]);
    const { FilterCriteria, DestinationConfig, FunctionResponseTypes, MaximumRecordAgeInSeconds } = mapping?.Properties ?? {};
    expect(JSON.parse(FilterCriteria.Filters[0].Pattern)).toEqual({
      eventName: ["REMOVE"],
      userIdentity: { type: ["Service"], principalId: ["dynamodb.amazonaws.com"] },
      dynamodb: { Keys: { sk: { S: ["job"] } }, OldImage: { rn: { S: ["long"] } } },
    });
    expect(FunctionResponseTypes).toEqual(["ReportBatchItemFailures"]);
    // The stream holds a record for 24 hours.
    expect(MaximumRecordAgeInSeconds).toBeLessThan(24 * 3600);
    expect(JSON.stringify(DestinationConfig.OnFailure)).toContain("Unremoved");
  });

  it("are removed by a function that may change only their items and long-lived objects", () => {
    expect(actionsOf("remove", "s3:")).toEqual(["s3:DeleteObject", "s3:ListBucket"]);
    expect(JSON.stringify(rightsOf(aws, descriptions.remove).statements)).not.toContain("ObjectsTable");
    for (const service of ["kms:", "states:", "lambda:"]) expect(actionsOf("remove", service)).toEqual([]);
  });
});

describe("keys", () => {
  const keysOf = (template: typeof aws) =>
    Object.fromEntries(
      Object.entries(template.findResources("AWS::KMS::Key")).map(([id, { Properties }]) => [
        id,
        [Properties.KeySpec, Properties.KeyUsage, Properties.MultiRegion],
      ]),
    );

  it("have the properties that no update can change: of one region by default, and of several if a new stack chooses so", () => {
    const [secrets, anchors] = [
      ["KeysSecretsC2A8CD45", undefined, undefined],
      ["KeysAnchors32D35766", "HMAC_256", "GENERATE_VERIFY_MAC"],
    ] as const;
    const expected = (multiRegion: boolean | undefined) =>
      Object.fromEntries([secrets, anchors].map(([id, spec, usage]) => [id, [spec, usage, multiRegion]]));
    expect(keysOf(aws)).toEqual(expected(undefined));
    const multiRegion = aStack({ multiRegionKeys: true });
    expect(keysOf(multiRegion.template)).toEqual(expected(true));
    expect(multiRegion.findings).toEqual([]);
  });

  const replicas = {
    secretsKey: `arn:aws:kms:eu-west-1:111111111111:key/mrk-${"a".repeat(32)}`,
    anchorKey: `arn:aws:kms:eu-west-1:111111111111:key/mrk-${"b".repeat(32)}`,
  };

  it("of a stack that is restored in another region are the replicas there, with the same rights and variables", () => {
    const there = aStack({ restored: replicas }).template;
    expect(keysOf(there)).toEqual({});
    const variablesOf = (template: typeof aws, name: string) =>
      Object.values(template.findResources("AWS::Lambda::Function"))
        .map(({ Properties }) => Properties.Environment?.Variables?.[name])
        .filter((value) => value !== undefined);
    for (const [variable, arn] of [
      [env.secretsKey, replicas.secretsKey],
      [env.anchorKey, replicas.anchorKey],
    ] as const)
      expect(variablesOf(there, variable)).toEqual(variablesOf(aws, variable).map(() => arn));
    const granted = (template: typeof aws) =>
      JSON.stringify(template.toJSON())
        .match(/"kms:\w+"/g)
        ?.sort();
    expect(granted(there)).toEqual(granted(aws));
  });

  it.each(["alias/svc", "arn:aws:kms:eu-west-1:111111111111:key/1234abcd-12ab-34cd-56ef-1234567890ab", "mrk-abc"])(
    "of one region, such as %s, cannot decrypt the data of another region, and are refused",
    (secretsKey) => {
      expect(() => aStack({ restored: { secretsKey } })).toThrow("the ARN of a multi-region key");
    },
  );
});
