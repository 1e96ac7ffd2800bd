/** Modules of flows for use-case tests. All scripts are the one of `newFlowWorld`. */
type Module = { id: string; value: object; [field: string]: unknown };
const expression = (expr: string) => ({ type: "javascript", expr });
const inputs = (expressions: Record<string, string>) =>
  Object.fromEntries(Object.entries(expressions).map(([name, expr]) => [name, expression(expr)]));

/** A script whose result is the value of an expression. */
export const echo = (id: string, expr: string, more: object = {}): Module => ({
  id,
  value: { type: "script", path: "f/ops/hello", input_transforms: inputs({ x: expr }) },
  ...more,
});

/** A script whose result is its place: its id and the indices of the loops around it. */
export const step = (id: string, more: object = {}): Module => echo(id, `'${id}' + (flow_input.iter?.index ?? '')`, more);

export const each = (id: string, list: string, modules: object[], value: object = {}): Module => ({
  id,
  value: { type: "forloopflow", iterator: expression(list), modules, skip_failures: false, ...value },
});

export const one = (id: string, expr: string, modules: object[], otherwise: object[] = []): Module => ({
  id,
  value: { type: "branchone", branches: [{ expr, modules }], default: otherwise },
});

export const all = (id: string, branches: object[][], value: object = {}): Module => ({
  id,
  value: { type: "branchall", branches: branches.map((modules) => ({ modules })), ...value },
});

export const nested = (id: string, path: string, args: Record<string, string> = {}): Module => ({
  id,
  value: { type: "flow", path, input_transforms: inputs(args) },
});

export const sleepS = (seconds: number) => ({ sleep: { type: "static", value: seconds } });
