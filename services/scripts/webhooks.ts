import { scriptHeadObject } from "../../core/scripts/version.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { requireNewestScript } from "./load.ts";

/** An HTTP request that runs a script. */
export interface WebhookForm {
  kind: string;
  method: string;
  url: string;
  curl: string;
}

/**
 * Lists the HTTP requests that run a script or flow: its newest version (`p/<path>`, `f/<path>`) or this one (`h/<hash>`, `fv/<version>`),
 * asynchronously, synchronously and as a stream.
 */
export function listWebhookForms(baseUrl: string, workspace: string, newest: string, exact: string): WebhookForm[] {
  const root = `${baseUrl}/api/w/${workspace}/jobs`;
  const versions = [
    { version: "newest version", target: newest },
    { version: "this version", target: exact },
  ];
  return versions.flatMap(({ version, target }) => [
    postForm(`async, ${version}`, `${root}/run/${target}`),
    postForm(`sync, ${version}`, `${root}/run_wait_result/${target}`),
    getForm(`sync by GET, ${version}`, `${root}/run_wait_result/${target}`),
    postForm(`stream, ${version}`, `${root}/run_and_stream/${target}`, "-N "),
    getForm(`stream by GET, ${version}`, `${root}/run_and_stream/${target}`, "-N "),
  ]);
}

const TOKEN = `-H "Authorization: Bearer $TOKEN"`;

const postForm = (kind: string, url: string, options = ""): WebhookForm => ({
  kind,
  method: "POST",
  url,
  curl: `curl ${options}-X POST '${url}' ${TOKEN} -H 'Content-Type: application/json' -d '{}'`,
});

/** The arguments are JSON in base64. */
const getForm = (kind: string, url: string, options = ""): WebhookForm => {
  const withPayload = `${url}?payload=${Buffer.from("{}").toString("base64url")}`;
  return { kind, method: "GET", url, curl: `curl ${options}'${withPayload}' ${TOKEN}` };
};

/** Lists the HTTP requests that run a script. Throws `script.notFound`. */
export async function listScriptWebhooks(
  { objects, baseUrl }: { objects: Pick<ObjectStore, "get">; baseUrl: string },
  workspace: string,
  path: string,
): Promise<WebhookForm[]> {
  const { hash } = requireNewestScript(await objects.get(scriptHeadObject.key(workspace, path)), path);
  return listWebhookForms(baseUrl, workspace, `p/${path}`, `h/${hash}`);
}
