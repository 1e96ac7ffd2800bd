import { expectStatus, type Workspace } from "../api/workspace.ts";

/** Short builders of flow modules. All scripts of one kind are the same code, which is built once. */
type Module = { id: string; value: object; [field: string]: unknown };
const expr = (text: string) => ({ type: "javascript", expr: text });

const script = (id: string, content: string, inputs: Record<string, string>, more: object): Module => ({
  id,
  value: {
    type: "rawscript",
    language: "bun",
    content,
    input_transforms: Object.fromEntries(Object.entries(inputs).map(([name, text]) => [name, expr(text)])),
  },
  ...more,
});

export const flow = {
  /** A step whose result is the value of the expression. */
  step: (id: string, text: string, more: object = {}) => script(id, "export const main = (v: unknown) => v;", { v: text }, more),
  /** A step that fails with the message that the expression yields. */
  fail: (id: string, text = "'no'", more: object = {}) =>
    script(id, "export const main = (m: unknown) => { throw new TypeError(String(m)); };", { m: text }, more),
  /** A step that fails if the expression is true, and otherwise returns its value. */
  failIf: (id: string, text: string, value = "'fine'", more: object = {}) =>
    script(
      id,
      "export const main = (bad: unknown, v: unknown) => { if (bad) throw new TypeError('bad'); return v; };",
      { bad: text, v: value },
      more,
    ),
  script,
  identity: (id: string, more: object = {}): Module => ({ id, value: { type: "identity" }, ...more }),
  each: (id: string, list: string, modules: Module[], value: object = {}, more: object = {}): Module => ({
    id,
    value: { type: "forloopflow", iterator: expr(list), modules, skip_failures: false, ...value },
    ...more,
  }),
  loop: (id: string, modules: Module[], value: object = {}, more: object = {}): Module => ({
    id,
    value: { type: "whileloopflow", modules, skip_failures: false, ...value },
    ...more,
  }),
  one: (id: string, branches: [string, Module[]][], otherwise: Module[] = [], more: object = {}): Module => ({
    id,
    value: { type: "branchone", branches: branches.map(([text, modules]) => ({ expr: text, modules })), default: otherwise },
    ...more,
  }),
  all: (id: string, branches: Module[][], value: object = {}, more: object = {}): Module => ({
    id,
    value: { type: "branchall", branches: branches.map((modules) => ({ modules })), ...value },
    ...more,
  }),
};

/** Runs a flow that is not stored, and returns its completed job. */
export async function runFlow(ws: Workspace, value: object | Module[], args: object = {}): Promise<Record<string, unknown>> {
  const whole = Array.isArray(value) ? { modules: value } : value;
  const id = expectStatus(await ws.ask.jobs.run.previewFlow({ body: { value: whole, args } }), 201).text;
  return ws.completed(id);
}

/** Saves a flow, or a new version of it. */
export async function saveFlow(ws: Workspace, path: string, value: object | Module[], more: object = {}): Promise<void> {
  const body = { path, summary: "", value: Array.isArray(value) ? { modules: value } : value, ...more };
  const exists = (await ws.ask.flows.exists({ path })).json === true;
  expectStatus(await ws.post(exists ? `flows/update/${path}` : "flows/create", body), exists ? 200 : 201);
}
