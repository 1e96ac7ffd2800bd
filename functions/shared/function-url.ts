import type { APIGatewayProxyEvent, LambdaFunctionURLEvent } from "aws-lambda";

type Fields = "httpMethod" | "path" | "headers" | "body" | "isBase64Encoded" | "queryStringParameters" | "multiValueQueryStringParameters";

/** Converts a request to the URL of a function to the request format of API Gateway, with the fields that the handlers read. */
export function toGatewayEvent(event: LambdaFunctionURLEvent): APIGatewayProxyEvent {
  const { rawPath, rawQueryString, headers, body = null, isBase64Encoded, requestContext } = event;
  const query = new URLSearchParams(rawQueryString);
  const names = [...new Set(query.keys())];
  const fields: Pick<APIGatewayProxyEvent, Fields> = {
    httpMethod: requestContext.http.method,
    path: rawPath,
    headers: { ...headers },
    body,
    isBase64Encoded,
    queryStringParameters: Object.fromEntries(names.map((name) => [name, query.getAll(name).at(-1)])),
    multiValueQueryStringParameters: Object.fromEntries(names.map((name) => [name, query.getAll(name)])),
  };
  return fields as APIGatewayProxyEvent;
}
