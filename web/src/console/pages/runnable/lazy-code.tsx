import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { detailsText } from "../../messages/versions.ts";

const CodeView = loadOnDemand(() => import("../../parts/code/code-view.tsx"), <Text c="dimmed">{detailsText.loadingCode}</Text>);

interface LazyCodeProps {
  label: string;
  code: string;
  language: string;
  /** Whether the code appears on request only. */
  isFolded?: boolean;
}

/** Shows code. The editor is loaded with the first one. */
export function LazyCode({ label, code, language, isFolded = false }: LazyCodeProps) {
  const [isShown, setIsShown] = useState(!isFolded);
  if (!isShown) {
    return (
      <Button size="compact-xs" variant="default" onClick={() => setIsShown(true)}>
        {detailsText.showCode}
      </Button>
    );
  }
  return <CodeView label={label} code={code} language={language} />;
}
