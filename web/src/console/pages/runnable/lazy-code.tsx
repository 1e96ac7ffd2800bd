import { Button, Text } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { detailsText } from "../../messages/versions.ts";

const CodeView = lazy(() => import("../../parts/code/code-view.tsx"));

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
  return (
    <Suspense fallback={<Text c="dimmed">{detailsText.loadingCode}</Text>}>
      <CodeView label={label} code={code} language={language} />
    </Suspense>
  );
}
