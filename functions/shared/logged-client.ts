import type { ClientAddressMode } from "../../contract/deployment/client-addresses.ts";
import { env } from "../../contract/env.ts";
import { describeClient } from "../../core/people/client-address.ts";

/** Returns a client's address in the form that the setting `clientAddresses` allows. The local engine has no setting, and logs no address. */
export const toLoggedClient = (address: string): string | undefined =>
  describeClient(address, (process.env[env.clientAddresses] ?? "none") as ClientAddressMode, process.env[env.clientAddressKey]);
