import { useState } from "react";
import { usedByText as text } from "../../../messages/versions.ts";
import { Users } from "../../../pages/runnable/details/used-by.tsx";

interface UsedByProps {
  workspace: string;
  kind: "variable" | "resource";
  path: string;
  /** Whether it is shown at once: before a deletion, it is the reason to refrain. */
  isOpenAtFirst?: boolean;
}

/** Shows what uses a stored value, once a reader opens it: the search reads all sources that may contain the path. */
export function UsedBy({ isOpenAtFirst = false, ...props }: UsedByProps) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{text.title}</summary>
      {isOpen && <Users {...props} />}
    </details>
  );
}
