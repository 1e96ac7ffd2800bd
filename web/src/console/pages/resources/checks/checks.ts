import { resourcesText } from "../../../messages/objects/stored.ts";
import { httpRequests, writeHttpCheck } from "./http.ts";
import { MYSQL, POSTGRESQL, REDIS, SMTP, SOCKETS } from "./servers.ts";

/** A script that tests resources of a type. Its only argument is the value of the resource. */
export interface Check {
  /** The meaning of a success, with the parts that the test leaves out. */
  meaning: string;
  /** For Bun, without packages. */
  content: string;
}

const { meaning } = resourcesText.tests;

const checks: ReadonlyMap<string, Check> = new Map([
  ...Object.entries(httpRequests).map(([type, request]): [string, Check] => [
    type,
    { meaning: request.isAnyAnswer ? meaning.address : meaning.api, content: writeHttpCheck(request) },
  ]),
  ["postgresql", { meaning: meaning.database, content: POSTGRESQL }],
  ["mysql", { meaning: meaning.database, content: MYSQL }],
  ["redis", { meaning: meaning.redis, content: REDIS }],
  ["smtp", { meaning: meaning.smtp, content: SMTP }],
  ["mongodb", { meaning: meaning.sockets, content: SOCKETS }],
]);

/** The check of a type. Undefined: resources of this type cannot be tested. */
export const checkOf = (type: string): Check | undefined => checks.get(type);

/** The types whose resources can be tested by a script. */
export const checkedTypes = (): string[] => [...checks.keys()];
