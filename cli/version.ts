declare const SVC_CLI_VERSION: string;

/** The version of the package, which the build defines. */
export const version = typeof SVC_CLI_VERSION === "string" ? SVC_CLI_VERSION : "0.0.0-source";
