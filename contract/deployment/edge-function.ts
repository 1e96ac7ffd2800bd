import { RESTORE_HEADERS_CODE } from "./gateway-headers.ts";

/**
 * The prefix of the addresses at which browsers upload files, on the origin of the service, because the policy of the pages allows no request to
 * another one. The path and the query of a presigned URL follow it.
 */
export const UPLOAD_PREFIX = "/upload";

/**
 * Removes the prefix from an upload. Only PUT passes: a presigned GET would show the file of a user, which may be a page with scripts, as a page of
 * this origin. S3 learns no cookie and no token.
 */
const ACCEPT_UPLOAD_CODE = `function acceptUpload(request) {
  if (request.method !== 'PUT') {
    return {
      statusCode: 405,
      statusDescription: 'Method Not Allowed',
      headers: {
        'content-type': { value: 'text/plain; charset=utf-8' },
        'allow': { value: 'PUT' },
        'x-svc-error': { value: 'upload.method' },
      },
      body: 'This address accepts uploads with PUT only.',
    };
  }
  request.uri = request.uri.slice('${UPLOAD_PREFIX}'.length);
  request.cookies = {};
  delete request.headers['cookie'];
  delete request.headers['authorization'];
  return request;
}`;

/** The CloudFront function of the stack. One resource serves both events: uploads at the viewer's request, and HTTP routes at the reply. */
export const EDGE_CODE = `${RESTORE_HEADERS_CODE}
${ACCEPT_UPLOAD_CODE}
function handler(event) {
  return event.context.eventType === 'viewer-request' ? acceptUpload(event.request) : restoreHeaders(event.response);
}`;
