/** The name of a stack that has no other name. */
export const DEFAULT_STACK = "svc";

/**
 * Returns the prefix of the names of all state machines of a stack, or of one of its workspaces. No prefix of one stack begins with that of
 * another, because roles grant rights by prefix: names of stacks have no `_`, and none begins with `svc-` (lib/config.ts).
 */
export function buildMachinePrefix(stack: string, workspace?: string): string {
  const prefix = stack === DEFAULT_STACK ? `${stack}-` : `${stack}_`;
  return workspace === undefined ? prefix : `${prefix}${workspace}-`;
}

/** The prefix of the names of the rules of a stack's triggers. Roles grant rights by this prefix. */
export const buildTriggerRulePrefix = (stack: string): string => `${stack === DEFAULT_STACK ? `${stack}-` : `${stack}_`}trigger-`;

/** The timeout of function `receive` in seconds. Lambda maps no queue whose visibility timeout is shorter, and 30 s is the default of a queue. */
export const RECEIVE_TIMEOUT_S = 30;
