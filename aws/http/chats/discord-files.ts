import { limits } from "../../../contract/limits.ts";
import type { Discord, DiscordCredential, VendorAnswer } from "../../../ports/chats.ts";
import { ForbiddenAddressError } from "../egress.ts";
import { fetchGuarded } from "../guarded-fetch.ts";

const MAX_BYTES = 1024 * 1024;

const refuse = (error: string): VendorAnswer<never> => ({ ok: false, final: true, error });

/** The hosts of uploaded files, besides that of the API. Their addresses are signed, so a download needs no token. */
const FILE_HOSTS = ["https://cdn.discordapp.com", "https://media.discordapp.net"];

async function downloadFile({ api_url: apiUrl }: DiscordCredential, url: string, bytes: number): Promise<VendorAnswer<Buffer>> {
  const origins = [...FILE_HOSTS, ...(apiUrl === undefined ? [] : [new URL(apiUrl).origin])];
  const address = URL.parse(url);
  if (!address || !origins.includes(address.origin)) return refuse("it is not stored in Discord");
  const request = { method: "GET", headers: {}, body: "", timeoutMs: limits.chatAnswerMs, maxBytes: MAX_BYTES, keepAlive: true };
  const response = await fetchGuarded(url, request);
  const content = Buffer.from(await response.arrayBuffer());
  if (response.status === 200 && content.length === bytes) return { ok: true, value: content };
  return refuse(`Discord returned status ${response.status} and no file`);
}

/** The files that persons upload to Discord. This needs no client of its API. */
export const discordFiles: Discord = {
  downloadFile: async (credential, url, bytes) => {
    try {
      return await downloadFile(credential, url, bytes);
    } catch (error) {
      if (error instanceof ForbiddenAddressError) return refuse("its address is inside the network, which is not allowed");
      // The message of an error can contain the address.
      const { name, code } = error as { name: string; code?: string };
      return { ok: false, final: false, error: `Discord did not answer as expected (${code ?? name})` };
    }
  },
};
