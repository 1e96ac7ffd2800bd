/**
 * The headers that API Gateway changes between a caller and a function ("Amazon API Gateway important notes", REST APIs with a Lambda integration).
 * Names are in lower case.
 */
export const gatewayHeaders = {
  droppedFromRequests: [
    ...["connection", "content-md5", "expect", "max-forwards", "proxy-authenticate", "server", "te", "trailer", "upgrade"],
    "www-authenticate",
  ],
  droppedFromReplies: ["expect", "host", "proxy-authenticate", "te", "trailer", "transfer-encoding", "upgrade", "via"],
  renamedInReplies: ["authorization", "connection", "content-md5", "date", "max-forwards", "server", "user-agent", "www-authenticate"],
  /** Those of the renamed headers whose value API Gateway replaces as well. */
  overwrittenInReplies: ["date", "server"],
} as const;

/** The prefix of renamed headers. */
export const RENAMED_PREFIX = "x-amzn-remapped-";

/** The renamed headers that CloudFront restores. It replaces the others with its own, or lets no function set them. */
const restoredHeaders = ["authorization", "content-md5", "max-forwards", "user-agent", "www-authenticate"] as const;

/** The header in which CloudFront shows that it restores the headers of replies. Its value is `1`. */
export const RESTORES_HEADER = "x-svc-edge-restores";

/** The header with the status of a reply whose headers CloudFront restores, for statuses that its function does not run for. */
export const CARRIED_STATUS_HEADER = "x-svc-status";

/**
 * The part of the CloudFront function that restores headers. It runs for statuses below 400 only, so a refused request to an HTTP route arrives with another status and
 * carries its own (functions/shared/reply/carried-status.ts). The only status that it accepts is 401.
 */
export const RESTORE_HEADERS_CODE = `function restoreHeaders(response) {
  var headers = response.headers;
  ${JSON.stringify(restoredHeaders)}.forEach(function (name) {
    var renamed = '${RENAMED_PREFIX}' + name;
    if (!headers[renamed]) return;
    headers[name] = headers[renamed];
    delete headers[renamed];
  });
  if (headers['${CARRIED_STATUS_HEADER}'] && headers['${CARRIED_STATUS_HEADER}'].value === '401') {
    response.statusCode = 401;
    response.statusDescription = 'Unauthorized';
  }
  delete headers['${CARRIED_STATUS_HEADER}'];
  return response;
}`;
