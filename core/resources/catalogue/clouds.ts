import type { BuiltInType } from "../type.ts";
import { flag, longText, number, oneOf, secret, text } from "./fields.ts";

export const clouds: readonly BuiltInType[] = [
  {
    name: "s3",
    description: "A bucket at S3, or at a service that speaks its protocol.",
    schema: {
      type: "object",
      properties: {
        bucket: text("Name of the bucket"),
        region: text("Region, such as eu-central-1"),
        endPoint: text("Host of the service, such as s3.eu-central-1.amazonaws.com"),
        port: number("Port, where it is not the usual one"),
        useSSL: flag("Whether the connection is encrypted"),
        pathStyle: flag("Whether the bucket stands in the path and not in the host name"),
        accessKey: text("Id of the access key"),
        secretKey: secret("Secret of the access key"),
      },
      required: ["bucket"],
    },
  },
  {
    name: "aws",
    description: "Access to an AWS account with a key.",
    schema: {
      type: "object",
      properties: {
        awsAccessKeyId: text("Id of the access key"),
        awsSecretAccessKey: secret("Secret of the access key"),
        awsSessionToken: secret("Session token, with temporary keys"),
        region: text("Region, such as eu-central-1"),
      },
      required: ["awsAccessKeyId", "awsSecretAccessKey", "region"],
    },
  },
  {
    name: "gcp_service_account",
    description: "A service account of Google Cloud: the content of its key file.",
    schema: {
      type: "object",
      properties: {
        type: oneOf("Kind of credentials", ["service_account"]),
        project_id: text("Id of the project"),
        private_key_id: text("Id of the key"),
        private_key: { ...longText("The key in PEM form"), password: true },
        client_email: text("Address of the account"),
        client_id: text("Id of the account"),
        auth_uri: text("Where people sign in"),
        token_uri: text("Where tokens are made"),
        auth_provider_x509_cert_url: text("Certificates of who signs"),
        client_x509_cert_url: text("Certificates of the account"),
        universe_domain: text("Domain of the cloud"),
      },
      required: ["project_id", "private_key", "client_email"],
    },
  },
  {
    name: "azure",
    description: "An application registered with Microsoft Entra.",
    schema: {
      type: "object",
      properties: {
        azureClientId: text("Id of the application"),
        azureClientSecret: secret("Secret of the application"),
        azureTenantId: text("Id of the tenant"),
        azureSubscriptionId: text("Id of the subscription"),
      },
      required: ["azureClientId", "azureTenantId"],
    },
  },
];
