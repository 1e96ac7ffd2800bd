/**
 * The name of the client library among the packages of npm and PyPI, in which no other project has it. The short names that scripts import,
 * `svc-client` and `svc`, belong to others there.
 */
export const CLIENT_PACKAGE = "svc-workflow-client";
/** The path of the Go module. No domain below `.invalid` can exist, so it comes from a deployment only. */
export const CLIENT_MODULE = "svc.invalid/client";
