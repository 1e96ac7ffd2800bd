import { type LookupAddress, lookup } from "node:dns";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { env } from "../../contract/env.ts";
import { createAddressCheck } from "./addresses.ts";

const mayReach = createAddressCheck(process.env[env.egressAllow] ?? "");

/** The address of a user's endpoint is blocked. */
export class ForbiddenAddressError extends Error {
  override readonly name = "ForbiddenAddress";
}

/** Resolves and checks in one step, so the connection uses the checked address even if the name resolves differently a moment later. */
const checkedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const addresses = found as LookupAddress[] | undefined;
    const first = addresses?.[0];
    if (error || !addresses || !first) return callback(error ?? new Error(`${hostname} has no address.`), []);
    if (!addresses.every(({ address }) => mayReach(address)))
      return callback(new ForbiddenAddressError(`${hostname} has an address inside the network.`), []);
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

/** Checks a host that is an address itself, because addresses are never looked up. Throws `ForbiddenAddressError`. */
export function guardUrl({ hostname }: Pick<URL, "hostname">): void {
  const address = hostname.replace(/^\[|\]$/g, "");
  if (isIP(address) !== 0 && !mayReach(address)) throw new ForbiddenAddressError(`${address} is inside the network.`);
}

/** Creates agents for connections to addresses that a user provides. Hosts that are addresses need `guardUrl` as well. */
export function createGuardedAgents(options: { keepAlive: boolean; maxSockets?: number }) {
  return {
    httpAgent: new HttpAgent({ lookup: checkedLookup, ...options }),
    httpsAgent: new HttpsAgent({ lookup: checkedLookup, ...options }),
  };
}

/** The agents for storages that users configure. */
export const guardedAgents = createGuardedAgents({ keepAlive: true, maxSockets: 20 });
