import type { HttpFields, HttpMethod } from "../../contract/routes/triggers/http-fields.ts";
import type { StoredObject } from "../objects/write.ts";
import type { Actor } from "../people/actor.ts";
import type { StoredTrigger } from "../triggers/trigger.ts";

/** An HTTP trigger that a request has reached, with all data for authenticating the request and starting its job. */
export interface FoundHttpRoute {
  workspace: string;
  trigger: StoredTrigger;
  /** The item from which the trigger was read. A job that waits for its trigger is recorded only while this is unchanged. */
  stored: StoredObject;
  fields: HttpFields;
  /** The parts of the request's path that the route names, decoded. */
  params: Readonly<Record<string, string>>;
  /** For a folder of files: the decoded parts of the request below the route's address. */
  below: readonly string[];
  /** The user with whose rights the job runs. `undefined` if there is no such user. */
  actor: Actor | undefined;
  /** The head of the script or flow. */
  head: StoredObject | undefined;
  /** The values of the resource that the route names for its authentication, sealed. */
  credential: StoredObject | undefined;
}

/** The method of a request to a route. No route has `options`, which finds the methods of an address. */
export type RequestMethod = HttpMethod | "options";

/** The outcome of the search for a request's route. `allowed`: the methods of the routes that have the requested address, sorted. */
export type HttpRouteMatch =
  | { outcome: "found"; route: FoundHttpRoute }
  | { outcome: "unknown" }
  | { outcome: "otherMethod"; allowed: readonly HttpMethod[] };
