import type { BuiltInType } from "../type.ts";
import { secret, text } from "./fields.ts";

export const ai: readonly BuiltInType[] = [
  {
    name: "openai",
    description: "The OpenAI API or a compatible one.",
    schema: {
      type: "object",
      properties: {
        api_key: secret("API key"),
        organization_id: text("Organisation id"),
        base_url: text("URL of the API, if it is not the default one"),
      },
      required: ["api_key"],
    },
  },
  {
    name: "anthropic",
    description: "The Anthropic API.",
    schema: {
      type: "object",
      properties: { apiKey: secret("API key"), baseUrl: text("URL of the API, if it is not the default one") },
      required: ["apiKey"],
    },
  },
  {
    name: "mistral",
    description: "The Mistral API.",
    schema: { type: "object", properties: { apiKey: secret("API key") }, required: ["apiKey"] },
  },
];
