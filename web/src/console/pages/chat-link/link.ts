import { Refused } from "../../../shared/service.ts";

const KEY = "svc.chat-link";

/**
 * Returns the link of a chat: the part of the address after `#`, or the one that this tab stored before a sign-in at a provider. The caller removes it
 * from the address, so that it is in no history.
 */
export function takeLink(hash: string, storage: Pick<Storage, "getItem" | "setItem">): string | undefined {
  const link = hash.replace(/^#/, "");
  try {
    if (link) storage.setItem(KEY, link);
    return link || (storage.getItem(KEY) ?? undefined);
  } catch {
    // The browser stores nothing.
    return link || undefined;
  }
}

/** Returns whether a link was refused for good: it was used, is too old, or a newer one has replaced it. */
export const isLinkGone = (error: unknown): boolean => error instanceof Refused && error.code === "chat.linkGone";

/** Forgets a link that was used, or that no longer works. */
export function forgetLink(storage: Pick<Storage, "removeItem">): void {
  try {
    storage.removeItem(KEY);
  } catch {
    // The browser stores nothing.
  }
}
