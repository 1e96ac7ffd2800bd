import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { routesText } from "../../messages/objects/routes.ts";

const text = routesText.findings;
const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

export interface DocumentCheck {
  operations: number;
  /** Sentences. */
  findings: string[];
}

interface PlacedOperation {
  /** Such as `POST /orders`. */
  name: string;
  path: string;
  operation: Record<string, unknown>;
  /** The parameters of its path. */
  shared: unknown;
}

/** Checks what readers and generators of clients need in an OpenAPI document: names, descriptions, declared parameters and whole references. */
export function checkDocument(document: unknown): DocumentCheck {
  const operations = listOperations(document);
  const schemes = findReferred(document, "#/components/securitySchemes");
  const ids = new Map<unknown, number>();
  for (const { operation } of operations) ids.set(operation["operationId"], (ids.get(operation["operationId"]) ?? 0) + 1);
  const findings = operations.flatMap((placed) => {
    const { name, operation } = placed;
    const id = operation["operationId"];
    const security = Array.isArray(operation["security"]) ? operation["security"].flatMap((each) => Object.keys(each ?? {})) : [];
    return [
      ...(operation["summary"] ? [] : [text.noSummary(name)]),
      ...(id === undefined ? [text.noId(name)] : (ids.get(id) ?? 0) > 1 ? [text.sameId(name, String(id))] : []),
      ...(isJsonObject(operation["responses"]) ? [] : [text.noReplies(name)]),
      ...checkParameters(placed, document),
      ...security
        .filter((scheme) => !isJsonObject(schemes) || !Object.hasOwn(schemes, scheme))
        .map((scheme) => text.noScheme(name, scheme)),
    ];
  });
  const broken = listReferences(document).filter((reference) => findReferred(document, reference) === undefined);
  return { operations: operations.length, findings: [...findings, ...[...new Set(broken)].map(text.noReference)] };
}

function listOperations(document: unknown): PlacedOperation[] {
  const paths = isJsonObject(document) && isJsonObject(document["paths"]) ? document["paths"] : {};
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = isJsonObject(item) ? item[method] : undefined;
      if (!isJsonObject(item) || !isJsonObject(operation)) return [];
      return [{ name: `${method.toUpperCase()} ${path}`, path, operation, shared: item["parameters"] }];
    }),
  );
}

function checkParameters({ name, path, operation, shared }: PlacedOperation, document: unknown): string[] {
  const parameters = [shared, operation["parameters"]].flatMap((list) => (Array.isArray(list) ? list : []));
  const resolved = parameters.map((each) => (typeof each?.["$ref"] === "string" ? findReferred(document, each["$ref"]) : each));
  const declared = new Set(resolved.filter(isJsonObject).flatMap((each) => (each["in"] === "path" ? [String(each["name"])] : [])));
  const parts = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map(([, part = ""]) => part));
  return [
    ...[...parts].filter((part) => !declared.has(part)).map((part) => text.noParameter(name, part)),
    ...[...declared].filter((part) => !parts.has(part)).map((part) => text.noPart(name, part)),
  ];
}

function listReferences(document: unknown): string[] {
  const found: string[] = [];
  const waiting = [document];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    const reference = (next as Record<string, unknown>)["$ref"];
    if (typeof reference === "string" && reference.startsWith("#/")) found.push(reference);
    for (const inner of Object.values(next)) waiting.push(inner);
  }
  return found;
}

function findReferred(document: unknown, reference: string): unknown {
  return reference
    .slice(2)
    .split("/")
    .reduce<unknown>((found, part) => {
      const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      return typeof found === "object" && found !== null && Object.hasOwn(found, name)
        ? (found as Record<string, unknown>)[name]
        : undefined;
    }, document);
}
