import type { BuiltInType } from "../type.ts";
import { flag, longText, number, oneOf, secret, text } from "./fields.ts";

export const clouds: readonly BuiltInType[] = [
  {
    name: "s3",
    description: "An S3 bucket or a bucket of a compatible service.",
    schema: {
      type: "object",
      properties: {
        bucket: text("Name of the bucket"),
        region: text("Region, such as eu-central-1"),
        endPoint: text("Host of the service, such as s3.eu-central-1.amazonaws.com"),
        port: number("Port, if it is not the default one"),
        useSSL: flag("Whether the connection is encrypted"),
        pathStyle: flag("Whether the bucket name is part of the path instead of the host name"),
        accessKey: text("Access key id"),
        secretKey: secret("Secret access key"),
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
        awsAccessKeyId: text("Access key id"),
        awsSecretAccessKey: secret("Secret access key"),
        awsSessionToken: secret("Session token, for temporary credentials"),
        region: text("Region, such as eu-central-1"),
      },
      required: ["awsAccessKeyId", "awsSecretAccessKey", "region"],
    },
  },
  {
    name: "gcp_service_account",
    description: "A Google Cloud service account: the content of its key file.",
    schema: {
      type: "object",
      properties: {
        type: oneOf("Type of the credentials", ["service_account"]),
        project_id: text("Project id"),
        private_key_id: text("Private key id"),
        private_key: { ...longText("Private key in PEM format"), password: true },
        client_email: text("E-mail address of the account"),
        client_id: text("Client id of the account"),
        auth_uri: text("URL of the sign-in page"),
        token_uri: text("URL that issues tokens"),
        auth_provider_x509_cert_url: text("URL of the provider's certificates"),
        client_x509_cert_url: text("URL of the account's certificates"),
        universe_domain: text("Cloud domain"),
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
        azureClientId: text("Application (client) id"),
        azureClientSecret: secret("Client secret"),
        azureTenantId: text("Tenant id"),
        azureSubscriptionId: text("Subscription id"),
      },
      required: ["azureClientId", "azureTenantId"],
    },
  },
];
