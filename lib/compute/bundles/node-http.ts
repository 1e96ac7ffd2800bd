/**
 * Replaces `node:http` in bundles (lib/compute/bundles/bundle.ts). An import of it by an ES module reads all its exports, one of which loads an HTTP
 * client and a WebSocket that functions do not use: 20 ms of each cold start. `require` does not, and `http` is the same module. A static
 * import of a name that is missing here fails the build; dynamic imports of the AWS SDK need `Agent` and `request`.
 */
import { createRequire } from "node:module";

const http = createRequire(import.meta.url)("http") as typeof import("http");

export const {
  Agent,
  ClientRequest,
  createServer,
  get,
  IncomingMessage,
  METHODS,
  OutgoingMessage,
  request,
  Server,
  ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} = http;
export default http;
