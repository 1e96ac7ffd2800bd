import { scriptTemplates } from "../../../../../../contract/templates/script-templates.ts";
import type { Module, ModuleValue } from "./flow-document.ts";

const noInputs = { input_transforms: {} };
const TYPESCRIPT = "export async function main() {\n  return null;\n}\n";

/** The first code of a new step, by the language as a flow stores it. */
const codes = {
  bun: TYPESCRIPT,
  nodejs: TYPESCRIPT,
  deno: TYPESCRIPT,
  python3: "def main():\n    return None\n",
  go: "package inner\n\nfunc main() (interface{}, error) {\n\treturn nil, nil\n}\n",
  bash: "echo done\n",
} as const;
export type StepLanguage = keyof typeof codes;

const constructs = {
  forloopflow: { modules: [], iterator: { type: "javascript", expr: "[]" }, skip_failures: false, parallel: false },
  whileloopflow: { modules: [], skip_failures: false },
  branchone: { branches: [{ summary: "", expr: "false", modules: [] }], default: [] },
  branchall: { branches: [{ summary: "", skip_failure: false, modules: [] }], parallel: false },
  identity: {},
  consentgate: { approvers: ["role:admin"] },
} as const;
export type Construct = keyof typeof constructs;

export const codeStep = (language: StepLanguage): ModuleValue => ({ type: "rawscript", language, content: codes[language], ...noInputs });
export const runnableStep = (type: "script" | "flow", path: string): ModuleValue => ({ type, path, ...noInputs });
export const constructStep = (type: Construct): ModuleValue => ({ type, ...constructs[type] });
/** The steps beside the others. */
export type StepRole = "preprocessor" | "failure";

/** The code of the preprocessor, or of the failure handler, which reads the error. */
export function asideStep(role: StepRole, language: StepLanguage): ModuleValue {
  const content = scriptTemplates[language][role];
  if (content === undefined) return codeStep(language);
  const inputs = role === "failure" ? { error: { type: "javascript", expr: "error" } } : {};
  return { type: "rawscript", language, content, input_transforms: inputs };
}

const APPROVAL = `/** Approvers read the description. The form can have default values, and choices for its fields. */
export async function main() {
  return { description: "Do you approve?", default_args: {}, enums: {} };
}
`;
/** A step of code after which the flow waits for a person. */
export const approvalStep = (): Pick<Module, "value" | "suspend"> => ({
  value: { ...codeStep("bun"), content: APPROVAL },
  suspend: { required_events: 1, timeout: 86_400 },
});

/** A step without an id: adding it gives it one. */
export const newStep = (value: ModuleValue, fields: object = {}): Module => ({ ...fields, id: "", value });
