/** One way to run a script over HTTP. */
export interface WebhookForm {
  kind: string;
  method: string;
  url: string;
  curl: string;
}

/** Every URL that runs a script: its newest version by path, this one by hash, both asynchronous and synchronous. */
export function webhookForms(baseUrl: string, workspace: string, path: string, hash: string): WebhookForm[] {
  const root = `${baseUrl}/api/w/${workspace}/jobs`;
  const forms = [
    { kind: "async, newest version", url: `${root}/run/p/${path}` },
    { kind: "sync, newest version", url: `${root}/run_wait_result/p/${path}` },
    { kind: "async, this version", url: `${root}/run/h/${hash}` },
    { kind: "sync, this version", url: `${root}/run_wait_result/h/${hash}` },
  ];
  return forms.map(({ kind, url }) => ({
    kind,
    method: "POST",
    url,
    curl: `curl -X POST '${url}' -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{}'`,
  }));
}
