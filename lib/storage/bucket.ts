import { Duration } from "aws-cdk-lib";
import { PolicyStatement, type ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from "aws-cdk-lib/aws-s3";
import { Construct, type IDependable } from "constructs";
import { env } from "../../contract/env.ts";
import { LONG_OBJECT_DAYS, objectFolders, SHORT_OBJECT_DAYS, type workspaceFolders } from "../../contract/retention.ts";
import type { StackConfig } from "../config.ts";
import { acknowledge, acknowledgeWildcard } from "../observability/nag.ts";
import { dataRemovalPolicy } from "./retention.ts";

/** The bucket's folders. `jobs` is the data of jobs with either retention: arguments, results and logs of jobs; built artefacts; large versions of scripts, flows and apps, plans of flows; files of users; mails that start jobs; archives of workspaces until they are downloaded; what CDK apps have deployed. */
type Folder = "jobs" | "mail" | "archives" | (typeof workspaceFolders)[number];

/** Time for which a mail that started no job is stored. */
const MAIL_DAYS = 14;
/** Time in which a deleted object can be restored. The bucket stores it for as long. */
const OLD_VERSIONS = Duration.days(7);

/** The bucket for data that does not fit an item: large arguments and results, logs, artefacts. An item refers to every object in it. */
export class Storage extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, config: StackConfig) {
    super(scope, id);
    this.bucket = new Bucket(this, "Bucket", {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      // S3's own key, because with a KMS key each object of each job would cost a KMS call.
      encryption: BucketEncryption.S3_MANAGED,
      // Objects are written once under unique names, so only a mistaken deletion leaves an old version.
      versioned: !config.local,
      lifecycleRules: [
        { id: "jobs", prefix: `${objectFolders.short}/`, expiration: Duration.days(SHORT_OBJECT_DAYS) },
        { id: "long-lived", prefix: `${objectFolders.long}/`, expiration: Duration.days(LONG_OBJECT_DAYS) },
        // A mail is removed when its jobs have started. Those whose jobs could not start remain for as long as their dead letters.
        { id: "mails", prefix: "mail/", expiration: Duration.days(MAIL_DAYS) },
        // The link to an archive is valid for minutes.
        { id: "archives", prefix: "archives/", expiration: Duration.days(1) },
        // S3 stores the parts of an unfinished upload until this rule removes them.
        { id: "uploads", abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // For the whole bucket. The expiry of a versioned object only adds a delete marker: this rule removes the object and then its marker.
        ...(config.local ? [] : [{ id: "versions", noncurrentVersionExpiration: OLD_VERSIONS, expiredObjectDeleteMarker: true }]),
      ],
      removalPolicy: dataRemovalPolicy(config),
    });
    acknowledge(
      this.bucket,
      "AwsSolutions-S1",
      "Access logs would name every job and cost a PUT for each. An account that needs them can use CloudTrail data events.",
    );
  }

  /** Allows SES to store mails, and nothing else. Returns the policy, which must exist before the rule that uses it. */
  allowMails(principal: ServicePrincipal, conditions: Record<string, object>): IDependable | undefined {
    const resources = [this.bucket.arnForObjects("mail/*")];
    const { policyDependable } = this.bucket.addToResourcePolicy(
      new PolicyStatement({ principals: [principal], actions: ["s3:PutObject"], resources, conditions }),
    );
    return policyDependable;
  }

  allowRead(fn: LambdaFunction, ...folders: Folder[]): void {
    this.allow(fn, ["GetObject"], folders);
    // Without this right S3 answers 403 for a missing object, which looks like a missing permission.
    this.allowList(fn);
  }

  /** Grants reads of objects that exist. S3 answers 403 for a missing object. */
  allowGet(fn: LambdaFunction, ...folders: Folder[]): void {
    this.allow(fn, ["GetObject"], folders);
  }

  /** Grants write access. A presigned PUT also needs it, because it has the rights of the role that signed it. */
  allowWrite(fn: LambdaFunction, ...folders: Folder[]): void {
    this.allow(fn, ["PutObject"], folders);
  }

  allowDelete(fn: LambdaFunction, ...folders: Folder[]): void {
    this.allow(fn, ["DeleteObject"], folders);
    // The objects of a job are found by their prefix.
    this.allowList(fn);
  }

  /** Grants what uploads in parts need in addition to write access: the list of the parts, and their removal. */
  allowUploadParts(fn: LambdaFunction, ...folders: Folder[]): void {
    this.allow(fn, ["AbortMultipartUpload", "ListMultipartUploadParts"], folders);
  }

  /** Grants the removal of the objects of `long` jobs. Lifecycle rules remove the rest. */
  allowRemoveExpired(fn: LambdaFunction): void {
    this.allowPaths(fn, ["DeleteObject"], [objectFolders.long]);
    this.allowList(fn);
  }

  /** Grants the right to check whether there are objects with a prefix. */
  allowList(fn: LambdaFunction): void {
    fn.addToRolePolicy(new PolicyStatement({ actions: ["s3:ListBucket"], resources: [this.bucket.bucketArn] }));
  }

  private allow(fn: LambdaFunction, actions: string[], folders: Folder[]): void {
    this.allowPaths(
      fn,
      actions,
      folders.flatMap((folder) => (folder === "jobs" ? Object.values(objectFolders) : [folder])),
    );
  }

  private allowPaths(fn: LambdaFunction, actions: string[], folders: string[]): void {
    const resources = folders.map((folder) => this.bucket.arnForObjects(`${folder}/*`));
    fn.addToRolePolicy(new PolicyStatement({ actions: actions.map((action) => `s3:${action}`), resources }));
    for (const resource of resources)
      acknowledgeWildcard(fn, resource, "Objects are named by job and by hash, so the permission covers the folder.");
    fn.addEnvironment(env.bucket, this.bucket.bucketName);
  }
}
