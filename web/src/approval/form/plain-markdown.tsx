import type { ReactNode } from "react";

/** Stands in for rjsf's renderer of Markdown, which is larger than React: forms' texts are shown as they are. */
export const Markdown = ({ children }: { children: ReactNode }) => <span>{children}</span>;
