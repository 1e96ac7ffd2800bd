import path from "node:path";

/**
 * The user's environment variables that the engine and its functions may see. Functions inherit the engine's environment and run user code, so
 * this is an allowlist: the cloud credentials of the terminal must not reach them.
 */
const allowed = [
  "HOME",
  "USER",
  "LANG",
  "LC_ALL",
  "TZ",
  // Variables that configure the registries of package managers.
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "REQUESTS_CA_BUNDLE",
  "NODE_EXTRA_CA_CERTS",
  "npm_config_registry",
  "npm_config_cafile",
  "npm_config_userconfig",
  "PIP_CERT",
  "PIP_CONFIG_FILE",
  "PIP_FIND_LINKS",
  "PIP_INDEX_URL",
  "PIP_EXTRA_INDEX_URL",
  "UV_INDEX_URL",
  "UV_DEFAULT_INDEX",
  "GOPROXY",
  "GOSUMDB",
  "GONOSUMDB",
  "GOFLAGS",
  "GOPRIVATE",
] as const;

export function childEnv(source: NodeJS.ProcessEnv, extra: Record<string, string>): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { PATH: pathWithThisNode(source) };
  for (const name of allowed) if (source[name] !== undefined) env[name] = source[name];
  return { ...env, ...extra };
}

/** The engine starts Node functions with the `node` on PATH: it must be the one that runs this process. */
function pathWithThisNode(source: NodeJS.ProcessEnv): string {
  return [path.dirname(process.execPath), source["PATH"]].filter(Boolean).join(path.delimiter);
}

/** The account of the engine. No request reaches AWS. */
export const engineCredentials = {
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
  AWS_REGION: "us-east-1",
  AWS_DEFAULT_REGION: "us-east-1",
} as const;

/** The credentials of a function, with the rights of its role (patches/function_roles.py). */
export const functionCredentials = (functionName: string) => ({ ...engineCredentials, AWS_ACCESS_KEY_ID: `function.${functionName}` });
