/**
 * A request that changes nothing, and that an API answers only if it accepts the credentials. `{name}` is a field of the
 * resource, and `{name|text}` a field with a default.
 */
export interface HttpRequest {
  url: string;
  method?: "POST";
  headers?: Readonly<Record<string, string>>;
  /** The user name and the password of basic authentication. */
  basic?: readonly [string, string];
  /** The fields of a form in the body. */
  form?: Readonly<Record<string, string>>;
  /** The field of the JSON reply that is true, for an API that answers 200 to everyone. */
  isTrue?: string;
  /** The address can be that of anything: only a refusal or a failure of the server counts against it. */
  isAnyAnswer?: boolean;
}

const bearer = (field: string) => ({ authorization: `Bearer {${field}}` });

/** By the name of the type. */
export const httpRequests: Readonly<Record<string, HttpRequest>> = {
  airtable: { url: "https://api.airtable.com/v0/meta/whoami", headers: bearer("apiKey") },
  anthropic: {
    url: "{baseUrl|https://api.anthropic.com}/v1/models",
    headers: { "x-api-key": "{apiKey}", "anthropic-version": "2023-06-01" },
  },
  azure: {
    url: "https://login.microsoftonline.com/{azureTenantId}/oauth2/v2.0/token",
    method: "POST",
    form: {
      grant_type: "client_credentials",
      client_id: "{azureClientId}",
      client_secret: "{azureClientSecret}",
      scope: "https://management.azure.com/.default",
    },
  },
  discord: { url: "https://discord.com/api/v10/users/@me", headers: { authorization: "Bot {token}" } },
  // A GET shows the webhook, and posts nothing.
  discord_webhook: { url: "{webhook_url}" },
  // Unlike /user, this answers to the token of an application too.
  github: { url: "{base_url|https://api.github.com}/rate_limit", headers: bearer("token") },
  gitlab: { url: "{baseUrl|https://gitlab.com}/api/v4/user", headers: bearer("token") },
  git_repository: { url: "{url}/info/refs?service=git-upload-pack" },
  http_basic: { url: "{base_url}", basic: ["{username}", "{password|}"], isAnyAnswer: true },
  http_bearer: { url: "{base_url}", headers: bearer("token"), isAnyAnswer: true },
  hubspot: { url: "https://api.hubapi.com/account-info/v3/details", headers: bearer("token") },
  jira: { url: "https://{domain}/rest/api/3/myself", basic: ["{username}", "{password}"] },
  mistral: { url: "https://api.mistral.ai/v1/models", headers: bearer("apiKey") },
  notion: { url: "https://api.notion.com/v1/users/me", headers: { ...bearer("token"), "notion-version": "2022-06-28" } },
  openai: { url: "{base_url|https://api.openai.com/v1}/models", headers: bearer("api_key") },
  salesforce: { url: "{instance_url}/services/oauth2/userinfo", headers: bearer("token") },
  sendgrid: { url: "https://api.sendgrid.com/v3/scopes", headers: bearer("token") },
  shopify: {
    url: "https://{store_name}.myshopify.com/admin/api/2025-10/shop.json",
    headers: { "x-shopify-access-token": "{token}" },
  },
  slack: { url: "https://slack.com/api/auth.test", method: "POST", headers: bearer("token"), isTrue: "ok" },
  stripe: { url: "https://api.stripe.com/v1/balance", headers: bearer("token") },
  telegram: { url: "https://api.telegram.org/bot{token}/getMe" },
  twilio: { url: "https://api.twilio.com/2010-04-01/Accounts/{accountSid}.json", basic: ["{accountSid}", "{token}"] },
};

/** An address can contain a secret, so neither the result nor an error names more of it than the host. */
const SCRIPT = `
export async function main(resource) {
  const fill = (text: string) =>
    text.replace(/\\{(\\w+)(?:\\|([^}]*))?\\}/g, (_, name, otherwise) => {
      const value = resource?.[name] || otherwise;
      if (value === undefined) throw new Error("The resource has no " + name + ".");
      return String(value).replace(/\\/+$/, "");
    });
  const filled = (fields: object) => Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, fill(text)]));
  const url = URL.parse(fill(request.url));
  if (!url) throw new Error("The resource contains no address of the form https://host/path.");
  const basic = request.basic?.map(fill) ?? (url.username ? [decodeURIComponent(url.username), decodeURIComponent(url.password)] : undefined);
  url.username = url.password = "";
  const headers: Record<string, string> = { "user-agent": "svc", ...filled(request.headers ?? {}) };
  if (basic) headers.authorization = "Basic " + Buffer.from(basic.join(":")).toString("base64");
  const body = request.form ? new URLSearchParams(filled(request.form)) : undefined;
  let response: Response;
  try {
    response = await fetch(url, { method: request.method ?? "GET", headers, body, redirect: "manual", signal: AbortSignal.timeout(15_000) });
  } catch (error) {
    throw new Error(url.host + " cannot be reached: " + (error.code ?? error.name));
  }
  const { status } = response;
  const isAccepted = request.isAnyAnswer ? status < 500 && status !== 401 && status !== 403 : response.ok;
  if (!isAccepted) throw new Error(url.host + " answered with status " + status + ".");
  if (request.isTrue) {
    const reply = await response.json();
    if (reply[request.isTrue] !== true) throw new Error(url.host + " refused: " + String(reply.error ?? "no reason").slice(0, 200));
  }
  return { host: url.host, status };
}
`;

/** Returns the script that sends a request. */
export const writeHttpCheck = (request: HttpRequest): string => `const request = ${JSON.stringify(request, null, 2)};\n${SCRIPT}`;
