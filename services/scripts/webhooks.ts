/** One way to run a script over HTTP. */
export interface WebhookForm {
  kind: string;
  method: string;
  url: string;
  curl: string;
}

/** Every way to run a script or flow over HTTP: its newest version (`p/<path>`, `f/<path>`), this one (`h/<hash>`, `fv/<version>`); asynchronous, synchronous and as a stream. */
export function listWebhookForms(baseUrl: string, workspace: string, newest: string, exact: string): WebhookForm[] {
  const root = `${baseUrl}/api/w/${workspace}/jobs`;
  const versions = [
    { version: "newest version", target: newest },
    { version: "this version", target: exact },
  ];
  return versions.flatMap(({ version, target }) => [
    post(`async, ${version}`, `${root}/run/${target}`),
    post(`sync, ${version}`, `${root}/run_wait_result/${target}`),
    get(`sync by GET, ${version}`, `${root}/run_wait_result/${target}`),
    post(`stream, ${version}`, `${root}/run_and_stream/${target}`, "-N "),
    get(`stream by GET, ${version}`, `${root}/run_and_stream/${target}`, "-N "),
  ]);
}

const TOKEN = `-H "Authorization: Bearer $TOKEN"`;

const post = (kind: string, url: string, options = ""): WebhookForm => ({
  kind,
  method: "POST",
  url,
  curl: `curl ${options}-X POST '${url}' ${TOKEN} -H 'Content-Type: application/json' -d '{}'`,
});

/** Its arguments are JSON in base64. */
const get = (kind: string, url: string, options = ""): WebhookForm => {
  const withPayload = `${url}?payload=${Buffer.from("{}").toString("base64url")}`;
  return { kind, method: "GET", url, curl: `curl ${options}'${withPayload}' ${TOKEN}` };
};
