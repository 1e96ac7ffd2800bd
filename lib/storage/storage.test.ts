import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { aws, locally } from "../stack-rights.ts";

describe("tables", () => {
  it("the jobs table has an expiry and exactly the indexes that lists need", () => {
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

  it("the objects table has a stream, an expiry and point-in-time recovery", () => {
    aws.hasResourceProperties("AWS::DynamoDB::Table", {
      StreamSpecification: { StreamViewType: "NEW_IMAGE" },
      TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  });

  it("stored data remains on AWS when the stack is deleted, and is deleted with it locally", () => {
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
  it("the bucket is private, requires TLS, and expires the files of jobs", () => {
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
