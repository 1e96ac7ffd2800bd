import type { ReactNode } from "react";

/** Replaces rjsf's Markdown renderer, which is larger than React. The texts of forms are shown as plain text. */
export const Markdown = ({ children }: { children: ReactNode }) => <span>{children}</span>;
