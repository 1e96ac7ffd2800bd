import type { BuiltInType } from "../type.ts";
import { secret, text } from "./fields.ts";

export const development: readonly BuiltInType[] = [
  {
    name: "github",
    description: "GitHub with a personal or an application token.",
    schema: {
      type: "object",
      properties: { token: secret("Token"), base_url: text("URL of the API, for GitHub Enterprise") },
      required: ["token"],
    },
  },
  {
    name: "gitlab",
    description: "GitLab, with an access token.",
    schema: {
      type: "object",
      properties: { token: secret("Access token"), baseUrl: text("URL of the server, if it is not gitlab.com") },
      required: ["token"],
    },
  },
  {
    name: "git_repository",
    description: "A Git repository.",
    schema: {
      type: "object",
      properties: {
        url: text("URL to clone from. If it contains a token, store the token in a secret variable"),
        branch: text("Branch"),
        folder: text("Folder inside the repository"),
      },
      required: ["url"],
    },
  },
  {
    name: "jira",
    description: "Jira in the cloud.",
    schema: {
      type: "object",
      properties: {
        domain: text("Domain, such as example.atlassian.net"),
        username: text("Address of the user"),
        password: secret("API token"),
      },
      required: ["domain", "username", "password"],
    },
  },
];
