import type { RunnerLanguage } from "../languages.ts";

/** The kinds of scripts that have a template. */
export const templateKinds = ["script", "approval", "trigger", "failure", "preprocessor"] as const;
export type TemplateKind = (typeof templateKinds)[number];

const typescript: Readonly<Record<TemplateKind, string>> = {
  script: `export async function main(name: string) {
  return { greeting: \`Hello, \${name}!\` };
}
`,
  approval: `import { getResumeUrls } from "svc-client";

export async function main(approver?: string) {
  const { approvalPage } = await getResumeUrls(approver);
  // Send the address to the people who decide.
  return { approvalPage };
}
`,
  trigger: `import { getState, setState } from "svc-client";

/** A schedule runs it in the first step of a flow. It returns what is new since the last run. */
export async function main() {
  const seen = ((await getState()) as number | null) ?? 0;
  const newest = Date.now();
  await setState(newest);
  return [{ since: seen, until: newest }];
}
`,
  failure: `export async function main(error: { name: string; message: string }, path?: string, job_id?: string) {
  console.log(\`\${path ?? "A step"} failed: \${error.name}: \${error.message}\`);
  return { job_id };
}
`,
  preprocessor: `export async function preprocessor(event: { headers?: Record<string, string>; body?: { name?: string } }) {
  return { name: event.body?.name ?? "world" };
}

export async function main(name: string) {
  return { greeting: \`Hello, \${name}!\` };
}
`,
};

const python: Readonly<Record<TemplateKind, string>> = {
  script: `def main(name: str):
    return {"greeting": f"Hello, {name}!"}
`,
  approval: `import svc


def main(approver: str | None = None):
    urls = svc.get_resume_urls(approver)
    # Send the address to the people who decide.
    return {"approvalPage": urls["approvalPage"]}
`,
  trigger: `import time

import svc


def main():
    """A schedule runs it in the first step of a flow. It returns what is new since the last run."""
    seen = svc.get_state() or 0
    newest = time.time()
    svc.set_state(newest)
    return [{"since": seen, "until": newest}]
`,
  failure: `def main(error: dict, path: str = "", job_id: str = ""):
    print(f"{path} failed: {error['name']}: {error['message']}")
    return {"job_id": job_id}
`,
  preprocessor: `def preprocessor(event: dict):
    return {"name": event["body"]["name"]}


def main(name: str):
    return {"greeting": f"Hello, {name}!"}
`,
};

/** The sources with which a script begins, by its language and its kind. */
export const scriptTemplates: Readonly<Record<RunnerLanguage, { script: string } & Partial<Record<TemplateKind, string>>>> = {
  bun: typescript,
  deno: typescript,
  nodejs: typescript,
  python3: python,
  go: {
    script: `package inner

func main(name string) (interface{}, error) {
\treturn map[string]string{"greeting": "Hello, " + name + "!"}, nil
}
`,
  },
  bash: {
    script: `name="$1"
echo "Hello, $name!"
`,
  },
};
