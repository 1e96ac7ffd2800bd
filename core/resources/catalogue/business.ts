import type { BuiltInType } from "../type.ts";
import { secret, text } from "./fields.ts";

export const business: readonly BuiltInType[] = [
  {
    name: "stripe",
    description: "Payments by Stripe.",
    schema: { type: "object", properties: { token: secret("Secret or restricted key, sk_… or rk_…") }, required: ["token"] },
  },
  {
    name: "airtable",
    description: "An Airtable account.",
    schema: { type: "object", properties: { apiKey: secret("Personal access token") }, required: ["apiKey"] },
  },
  {
    name: "notion",
    description: "A Notion integration.",
    schema: { type: "object", properties: { token: secret("Secret of the integration") }, required: ["token"] },
  },
  {
    name: "hubspot",
    description: "A HubSpot private application.",
    schema: { type: "object", properties: { token: secret("Access token") }, required: ["token"] },
  },
  {
    name: "salesforce",
    description: "A Salesforce organisation.",
    schema: {
      type: "object",
      properties: { instance_url: text("URL of the organisation"), token: secret("Access token") },
      required: ["instance_url", "token"],
    },
  },
  {
    name: "shopify",
    description: "A Shopify shop.",
    schema: {
      type: "object",
      properties: { store_name: text("Name of the shop"), token: secret("Access token of the Admin API") },
      required: ["store_name", "token"],
    },
  },
];
