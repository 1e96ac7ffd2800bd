const isOwn = (name: string): boolean => /^svc_/i.test(name);

/** Returns an environment without the variables of `svc`, such as the token, for a program that bundles code of a repository. */
export const withoutOwnVariables = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !isOwn(name)));

/**
 * Calls a function that starts a process with the environment of this one, without the variables of `svc`. They are restored when the function
 * returns, so the function must start the process synchronously.
 */
export function callWithoutOwnVariables<Result>(start: () => Result): Result {
  const svcVariables = Object.entries(process.env).filter(([name]) => isOwn(name));
  for (const [name] of svcVariables) delete process.env[name];
  try {
    return start();
  } finally {
    Object.assign(process.env, Object.fromEntries(svcVariables));
  }
}
