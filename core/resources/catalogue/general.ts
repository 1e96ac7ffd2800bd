import type { BuiltInType } from "../type.ts";
import { secret, text } from "./fields.ts";

export const general: readonly BuiltInType[] = [
  { name: "any", description: "Any JSON value." },
  { name: "state", description: "State that a script stores between its runs." },
  {
    name: "http_basic",
    description: "An HTTP service with user name and password.",
    schema: {
      type: "object",
      properties: { base_url: text("URL of the service"), username: text("User name"), password: secret("Password") },
      required: ["username"],
    },
  },
  {
    name: "http_bearer",
    description: "An HTTP service with a bearer token.",
    schema: {
      type: "object",
      properties: { base_url: text("URL of the service"), token: secret("Sent as Authorization: Bearer …") },
      required: ["token"],
    },
  },
];
