import type { BuiltInType } from "../type.ts";
import { secret, text } from "./fields.ts";

export const ai: readonly BuiltInType[] = [
  {
    name: "openai",
    description: "The OpenAI API, or one that speaks its protocol.",
    schema: {
      type: "object",
      properties: {
        api_key: secret("API key"),
        organization_id: text("Id of the organisation"),
        base_url: text("Address, where it is another one"),
      },
      required: ["api_key"],
    },
  },
  {
    name: "anthropic",
    description: "The Anthropic API.",
    schema: {
      type: "object",
      properties: { apiKey: secret("API key"), baseUrl: text("Address, where it is another one") },
      required: ["apiKey"],
    },
  },
  {
    name: "mistral",
    description: "The Mistral API.",
    schema: { type: "object", properties: { apiKey: secret("API key") }, required: ["apiKey"] },
  },
];
