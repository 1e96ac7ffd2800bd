import { notifications } from "../frame/notifications.tsx";
import { frameText } from "../messages/frame.ts";

/** Copies a text, and reports the outcome. A browser may refuse, and does so on pages without a secure address. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notifications.show({ message: frameText.copied });
  } catch {
    notifications.show({ message: frameText.copyRefused });
  }
}
