import type { JSONWebKeySet } from "jose";
import type { KeySets } from "../../ports/identity-providers.ts";
import { fetchGuarded } from "./guarded-fetch.ts";

const TIMEOUT_MS = 3000;
const MAX_BYTES = 256 * 1024;
const MOST_KEYS = 100;

/** The public keys of the issuers of tokens. */
export const keySets = {
  /** Reads a JSON Web Key Set (RFC 7517). Addresses inside the network are blocked. Throws any error if there is no such set. */
  async fetchKeySet(url: string): Promise<JSONWebKeySet> {
    const headers = { accept: "application/json" };
    const response = await fetchGuarded(url, { method: "GET", headers, body: "", timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
    if (!response.ok) throw new Error(`The issuer responded with status ${response.status}.`);
    const { keys } = (await response.json()) as Partial<JSONWebKeySet>;
    if (!Array.isArray(keys) || keys.length > MOST_KEYS || !keys.every((key) => typeof key === "object" && key !== null))
      throw new Error("The response is not a key set.");
    return { keys };
  },
} satisfies KeySets;
