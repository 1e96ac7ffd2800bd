import * as z from "zod";
import { limits } from "../../limits.ts";

/** The URL of a receiver. An address inside a network is saved too: the service refuses it at each delivery, because its name may change. */
export const webhookUrl = z
  .string()
  .max(limits.webhookUrlChars)
  .superRefine((url, context) => {
    const parsed = URL.parse(url);
    // The parser would remove these characters, so that the stored text and the called URL were different.
    if (!parsed || !/^https?:\/\/[^\s\p{Cc}]+$/iu.test(url))
      context.addIssue({ code: "custom", message: "must be a complete http or https URL" });
    else if (parsed.username || parsed.password)
      context.addIssue({ code: "custom", message: "must not contain a user name or a password: put a secret in the path or the query" });
  });
