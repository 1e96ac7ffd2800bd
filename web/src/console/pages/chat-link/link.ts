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

/** Forgets a link that was used. */
export function forgetLink(storage: Pick<Storage, "removeItem">): void {
  try {
    storage.removeItem(KEY);
  } catch {
    // The browser stores nothing.
  }
}
