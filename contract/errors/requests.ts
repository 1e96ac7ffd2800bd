import { type Answers, formatMegabytes, type Issues, listIssues, type NoDetails } from "./answer.ts";

/** Errors that a request can cause on any route. */
export interface RequestErrors {
  "auth.missing": NoDetails;
  "auth.invalid": NoDetails;
  "auth.forbidden": { action: string; needs?: string };
  "body.notJson": { position: string };
  "body.shape": { issues: Issues };
  "query.invalid": { issues: Issues };
  "body.tooLarge": { limitBytes: number; what: string };
  "body.tooDeep": { limit: number };
  "body.number": { reason: string };
  "body.encoding": { encoding: string };
  "body.notDecoded": { encoding: string };
  "payload.base64": NoDetails;
  "payload.form": { reason: string };
  "payload.cloudEvent": { reason: string };
  "payload.cloudEventBatch": NoDetails;
  /** `longest`: the longest part of the request, for example "the header X-Long". */
  "request.tooLong": { limitBytes: number; longest?: string };
  "edge.bypassed": NoDetails;
  "route.unknown": { method: string; path: string };
  "route.method": { method: string; allowed: string[] };
  "engine.busy": NoDetails;
  "write.collided": NoDetails;
  "service.busy": { service: string };
}

export const requestAnswers: Answers<RequestErrors> = {
  "auth.missing": {
    status: 401,
    describe: () =>
      "This request needs a token. Send it in the header 'Authorization: Bearer <token>', in the cookie 'token' or, on run routes, in the query parameter 'token'.",
  },
  "auth.invalid": { status: 401, describe: () => "This token is invalid: it is unknown, it has expired, or its job has ended." },
  "auth.forbidden": {
    status: 403,
    describe: ({ action, needs }) =>
      needs === undefined ? `Your token does not allow ${action}.` : `Your role does not allow ${action}: this requires ${needs}.`,
  },
  "body.notJson": { status: 400, describe: ({ position }) => `The body is not valid JSON: ${position}.` },
  "body.shape": { status: 422, describe: ({ issues }) => `The body does not match the schema. ${listIssues(issues)}.` },
  "query.invalid": { status: 400, describe: ({ issues }) => `A parameter is invalid. ${listIssues(issues)}.` },
  "body.tooLarge": {
    status: 413,
    describe: ({ limitBytes, what }) =>
      `The ${what} is larger than the limit of ${formatMegabytes(limitBytes)}. Store large data as a file and pass a reference to it.`,
  },
  "body.tooDeep": { status: 422, describe: ({ limit }) => `The body is nested deeper than the limit of ${limit} levels.` },
  "body.encoding": {
    status: 415,
    describe: ({ encoding }) =>
      `The body has the encoding ${JSON.stringify(encoding)}, which is not supported. Send it as gzip, deflate, br, or without an encoding.`,
  },
  "body.notDecoded": {
    status: 400,
    describe: ({ encoding }) => `The body cannot be decoded: it is not valid ${encoding}, although its header Content-Encoding says so.`,
  },
  "body.number": { status: 422, describe: ({ reason }) => `The body cannot be passed to scripts: ${reason}. Send the number as text.` },
  "payload.base64": {
    status: 400,
    describe: () =>
      "The query parameter 'payload' is not valid base64. Encode the JSON of the arguments in base64, with the standard or the URL-safe alphabet.",
  },
  "payload.form": { status: 400, describe: ({ reason }) => `The form cannot be read: ${reason}.` },
  "payload.cloudEvent": { status: 400, describe: ({ reason }) => `This is not a valid CloudEvents 1.0 event: ${reason}.` },
  "payload.cloudEventBatch": {
    status: 415,
    describe: () => "Batches of CloudEvents are not supported. Send each event in its own request, as application/cloudevents+json.",
  },
  "request.tooLong": {
    status: 431,
    describe: ({ limitBytes, longest }) =>
      `The URL and the headers together are longer than the limit of ${limitBytes / 1024} KB.${longest ? ` The longest part is ${longest}.` : ""} Send long values in the body.`,
  },
  "edge.bypassed": { status: 403, describe: () => "This is an internal address. Send the request to the public address of the service." },
  "route.unknown": {
    status: 404,
    describe: ({ method, path }) => `There is no route ${method} ${path}. GET /api/openapi.json lists every route.`,
  },
  "route.method": {
    status: 405,
    describe: ({ method, allowed }) => `This route does not support ${method}. It supports ${allowed.join(", ")}.`,
  },
  "engine.busy": { status: 429, describe: () => "The service is busy. Try again shortly." },
  "write.collided": {
    status: 409,
    describe: () => "Other requests changed the same data at the same time, so nothing was saved. Try again.",
  },
  "service.busy": {
    status: 503,
    describe: () => "The service has too much to do, or a part of it is unavailable for the moment. Try again.",
  },
};
