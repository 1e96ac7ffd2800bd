import { isJsonObject } from "../../contract/json/json-object.ts";

type Fields = Record<string, unknown>;

/** The fields of an app's file that represent an execution mode (api.md §6.4). A file with neither has the mode of `DEFAULT_MODE`. */
const flags = { public: "anonymous", guests: "guest" } as const;
const DEFAULT_MODE = "publisher";

/** The fields of a policy that clients compute from the value of the app, and those that the server sets. */
const DERIVED = new Set(["triggerables", "triggerables_v2", "on_behalf_of", "on_behalf_of_email"]);

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Returns the fields of a policy that its author sets. */
export function removeDerivedPolicy(policy: Fields): Fields {
  return Object.fromEntries(Object.entries(policy).filter(([name, value]) => !DERIVED.has(name) && !isEmptyList(value)));
}

/**
 * Returns an app in the form of its file: with a flag for its execution mode, and only those parts of its policy that no other field expresses.
 */
export function toAppFile(app: Fields): Fields {
  const { policy, ...fields } = app;
  if (!isJsonObject(policy)) return app;
  const { execution_mode: mode, ...others } = removeDerivedPolicy(policy);
  const flag = Object.entries(flags).find(([, meant]) => meant === mode)?.[0];
  const isExpressed = flag !== undefined || mode === DEFAULT_MODE;
  const left = isExpressed || mode === undefined ? others : { execution_mode: mode, ...others };
  return { ...fields, ...(flag === undefined ? {} : { [flag]: true }), ...(Object.keys(left).length > 0 ? { policy: left } : {}) };
}

/** Returns an app with the policy that its file expresses. */
export function fromAppFile(file: Fields): Fields {
  const { public: isPublic, guests, policy, ...fields } = file;
  const stated = isJsonObject(policy) ? policy : {};
  const mode = isPublic === true ? flags.public : guests === true ? flags.guests : (stated["execution_mode"] ?? DEFAULT_MODE);
  return { ...fields, policy: { ...stated, execution_mode: mode } };
}
