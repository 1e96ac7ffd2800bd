import { type Answers, type Issues, listIssues, megabytes, type NoDetails } from "./answer.ts";

/** Errors that a request can cause on any route. */
export interface RequestErrors {
  "auth.missing": NoDetails;
  "auth.invalid": NoDetails;
  "auth.forbidden": { action: string };
  "body.notJson": { position: string };
  "body.shape": { issues: Issues };
  "query.invalid": { issues: Issues };
  "body.tooLarge": { limitBytes: number; what: string };
  "body.tooDeep": { limit: number };
  "payload.base64": NoDetails;
  "payload.form": { reason: string };
  "payload.cloudEvent": { reason: string };
  "payload.cloudEventBatch": NoDetails;
  "request.tooLong": { limitBytes: number };
  "route.unknown": { method: string; path: string };
  "route.method": { method: string; allowed: string[] };
  "engine.busy": NoDetails;
  "write.collided": NoDetails;
}

export const requestAnswers: Answers<RequestErrors> = {
  "auth.missing": {
    status: 401,
    say: () =>
      "This request needs a token. Send it in the header 'Authorization: Bearer <token>', in the cookie 'token' or, on run routes, in the query parameter 'token'.",
  },
  "auth.invalid": { status: 401, say: () => "This token is invalid: it is unknown, it has expired, or its job has ended." },
  "auth.forbidden": { status: 403, say: ({ action }) => `Your token does not allow ${action}.` },
  "body.notJson": { status: 400, say: ({ position }) => `The body is not valid JSON: ${position}.` },
  "body.shape": { status: 422, say: ({ issues }) => `The body does not match the schema. ${listIssues(issues)}.` },
  "query.invalid": { status: 400, say: ({ issues }) => `A parameter is invalid. ${listIssues(issues)}.` },
  "body.tooLarge": {
    status: 413,
    say: ({ limitBytes, what }) =>
      `The ${what} is larger than the limit of ${megabytes(limitBytes)}. Store large data as a file and pass a reference to it.`,
  },
  "body.tooDeep": { status: 422, say: ({ limit }) => `The body is nested deeper than the limit of ${limit} levels.` },
  "payload.base64": {
    status: 400,
    say: () =>
      "The query parameter 'payload' is not valid base64. Encode the JSON of the arguments in base64, with the standard or the URL-safe alphabet.",
  },
  "payload.form": { status: 400, say: ({ reason }) => `The multipart form cannot be read: ${reason}.` },
  "payload.cloudEvent": { status: 400, say: ({ reason }) => `This is not a valid CloudEvents 1.0 event: ${reason}.` },
  "payload.cloudEventBatch": {
    status: 415,
    say: () => "Batches of CloudEvents are not supported. Send each event in its own request, as application/cloudevents+json.",
  },
  "request.tooLong": {
    status: 431,
    say: ({ limitBytes }) =>
      `The URL and the headers together are longer than the limit of ${limitBytes / 1024} KB. Send long values in the body.`,
  },
  "route.unknown": {
    status: 404,
    say: ({ method, path }) => `There is no route ${method} ${path}. GET /api/openapi.json lists every route.`,
  },
  "route.method": {
    status: 405,
    say: ({ method, allowed }) => `This route does not support ${method}. It supports ${allowed.join(", ")}.`,
  },
  "engine.busy": { status: 429, say: () => "The service is busy. Try again shortly." },
  "write.collided": {
    status: 409,
    say: () => "Other requests changed the same data at the same time, so nothing was saved. Try again.",
  },
};
