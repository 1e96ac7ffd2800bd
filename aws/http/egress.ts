import { type LookupAddress, lookup } from "node:dns";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { env } from "../../contract/env.ts";
import { reachable } from "./addresses.ts";

const mayReach = reachable(process.env[env.egressAllow] ?? "");

/** A user's endpoint has, or leads to, an address that nothing here may reach. */
export class ForbiddenAddress extends Error {
  override readonly name = "ForbiddenAddress";
}

/** Resolves and checks in one step, so the connection uses the checked address even if the name resolves differently a moment later. */
const checkedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const addresses = found as LookupAddress[] | undefined;
    const first = addresses?.[0];
    if (error || !addresses || !first) return callback(error ?? new Error(`${hostname} has no address.`), []);
    if (!addresses.every(({ address }) => mayReach(address)))
      return callback(new ForbiddenAddress(`${hostname} has an inner address.`), []);
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

/** Throws `ForbiddenAddress` for a host that is an address itself: those are never looked up. */
export function checkHost({ hostname }: URL): void {
  const address = hostname.replace(/^\[|\]$/g, "");
  if (isIP(address) !== 0 && !mayReach(address)) throw new ForbiddenAddress(`${address} is an inner address.`);
}

/** For every connection to an address that a user names. */
export const guardedAgents = {
  httpAgent: new HttpAgent({ lookup: checkedLookup, keepAlive: true, maxSockets: 20 }),
  httpsAgent: new HttpsAgent({ lookup: checkedLookup, keepAlive: true, maxSockets: 20 }),
};
