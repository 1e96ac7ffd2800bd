/** The editor of a field. `messages/editor/step-fields.ts` has its label and its help. */
export type Field =
  | { kind: "switch" | "expression" | "json" | "schema" }
  /** One value a line. `names`: those of the workspace that can be added by a choice. */
  | { kind: "lines"; names?: "people" | "groups" }
  | { kind: "text"; isLong?: true }
  | { kind: "number"; most?: number }
  /** A constant or an expression. `isPlain`: the constant may stand there without an object around it. */
  | { kind: "transform"; constant: "number" | "groups" | "json"; isPlain?: true }
  | { kind: "choice"; values: readonly string[] }
  | { kind: "group"; fields: Fields };
export type Fields = Readonly<Record<string, Field>>;

const flag = { kind: "switch" } as const;
const expression = { kind: "expression" } as const;
const text = { kind: "text" } as const;
const number = { kind: "number" } as const;
const people = { kind: "lines", names: "people" } as const;
const attempts = { kind: "number", most: 1000 } as const;

const stop: Field = {
  kind: "group",
  fields: { expr: expression, skip_if_stopped: flag, error_message: text, error_include_result: flag },
};

/** The options of every kind of step. */
export const moduleOptions: Fields = {
  retry: {
    kind: "group",
    fields: {
      constant: { kind: "group", fields: { attempts, seconds: number } },
      exponential: {
        kind: "group",
        fields: { attempts, multiplier: number, seconds: number, random_factor: { kind: "number", most: 100 } },
      },
      retry_if: { kind: "group", fields: { expr: expression } },
    },
  },
  continue_on_error: flag,
  stop_after_if: stop,
  stop_after_all_iters_if: stop,
  skip_if: { kind: "group", fields: { expr: expression } },
  suspend: {
    kind: "group",
    fields: {
      required_events: { kind: "number", most: 100 },
      timeout: number,
      resume_form: { kind: "group", fields: { schema: { kind: "schema" } } },
      user_auth_required: flag,
      user_groups_required: { kind: "transform", constant: "groups" },
      self_approval_disabled: flag,
      hide_cancel: flag,
      reject_reason_required: flag,
      continue_on_disapprove_timeout: flag,
      skin: { kind: "choice", values: ["detailed", "minimal"] },
      inputs: { kind: "lines" },
    },
  },
  sleep: { kind: "transform", constant: "number" },
  timeout: { kind: "transform", constant: "number", isPlain: true },
  cache_ttl: number,
  cache_ignore_s3_path: flag,
  mock: { kind: "group", fields: { enabled: flag, return_value: { kind: "json" } } },
  priority: { kind: "number", most: 100 },
  delete_after_secs: number,
  segment: flag,
};

const loop: Fields = {
  parallel: flag,
  parallelism: { kind: "transform", constant: "number", isPlain: true },
  skip_failures: flag,
  squash: flag,
};

/** The settings of each kind of step, except those in `specialFields`. */
export const valueSettings: Readonly<Record<string, Fields>> = {
  rawscript: {
    path: text,
    tag: text,
    concurrent_limit: { kind: "number", most: 1000 },
    concurrency_time_window_s: number,
    custom_concurrency_key: text,
    is_trigger: flag,
  },
  script: { tag_override: text, is_trigger: flag },
  flow: { is_trigger: flag },
  forloopflow: { iterator: { kind: "transform", constant: "json" }, ...loop },
  whileloopflow: loop,
  branchone: {},
  branchall: { parallel: flag },
  identity: {},
  consentgate: {
    approvers: people,
    message: { kind: "text", isLong: true },
    timeout: number,
    notification: {
      kind: "group",
      fields: { channel: { kind: "choice", values: ["email", "chat", "webhook"] }, resource_path: text, channel_id: text, url: text },
    },
    reject_reason_required: flag,
    remind_after: number,
    escalate: { kind: "group", fields: { after: number, approvers: people } },
  },
  aiagent: {},
};

/** The fields of each kind that special editors or the canvas change: code, paths, branches and inputs. */
export const specialFields: Readonly<Record<string, readonly string[]>> = {
  rawscript: ["content", "language", "lock", "input_transforms"],
  script: ["path", "hash", "input_transforms"],
  flow: ["path", "input_transforms"],
  forloopflow: ["modules"],
  whileloopflow: ["modules"],
  branchone: ["branches", "default"],
  branchall: ["branches"],
  identity: [],
  consentgate: [],
  aiagent: [],
};

/** The settings of a flow. Its steps are on the canvas. */
export const flowSettings: Fields = {
  same_worker: flag,
  early_return: text,
  skip_expr: expression,
  concurrent_limit: { kind: "number", most: 1000 },
  concurrency_key: text,
  concurrency_time_window_s: number,
  cache_ttl: number,
  cache_ignore_s3_path: flag,
  delete_after_secs: number,
  priority: { kind: "number", most: 100 },
  flow_env: { kind: "json" },
  chat_input_enabled: flag,
};
export const ON_CANVAS = ["modules", "failure_module", "preprocessor_module"];

/** The options that begin with more than an empty value. */
const STARTS: Readonly<Record<string, unknown>> = {
  retry: { constant: { attempts: 3, seconds: 5 } },
  constant: { attempts: 3, seconds: 5 },
  exponential: { attempts: 3, multiplier: 1, seconds: 2 },
  suspend: { required_events: 1 },
  resume_form: { schema: { type: "object", properties: {}, required: [], order: [] } },
  mock: { enabled: true, return_value: null },
  sleep: { type: "static", value: 10 },
  cache_ttl: 300,
  priority: 0,
  delete_after_secs: 0,
  notification: { channel: "email" },
  escalate: { after: 3600, approvers: [] },
  early_return: "",
  skip_expr: "",
  flow_env: {},
};

/** Returns the value with which an option begins when a person adds it. */
export function startOf(name: string, field: Field): unknown {
  if (Object.hasOwn(STARTS, name)) return structuredClone(STARTS[name]);
  switch (field.kind) {
    case "switch":
      return true;
    case "number":
      return 60;
    case "transform":
      return { type: "static", value: 60 };
    case "group":
      return "expr" in field.fields ? { expr: "" } : {};
    case "lines":
      return [];
    default:
      return "";
  }
}

type Values = Readonly<Record<string, unknown>>;

export const isSet = (value: unknown) => value !== undefined && value !== null;

/** Sets a field, or removes it if it has no value. All other fields stay, in their order. */
export function withField(values: Values, name: string, value: unknown): Values {
  if (value !== undefined) return { ...values, [name]: value };
  const { [name]: _, ...rest } = values;
  return rest;
}

/** Returns the fields that no editor shows. */
export const otherFields = (values: Values, shown: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !shown.includes(name)));

/** Replaces the fields that no editor shows. */
export const withOtherFields = (values: Values, shown: readonly string[], others: Values): Values => ({
  ...Object.fromEntries(Object.entries(values).filter(([name]) => shown.includes(name))),
  ...otherFields(others, shown),
});
