import { Text } from "@mantine/core";
import { useMemo } from "react";
import { parse } from "yaml";
import { routesText as text } from "../../messages/objects/routes.ts";
import { checkDocument } from "./check-document.ts";

const MOST_SHOWN = 50;

/** Shows what a check has found in an OpenAPI document. JSON is YAML as well. */
export default function DocumentCheck({ document }: { document: string }) {
  const { operations, findings } = useMemo(() => checkDocument(parse(document, { maxAliasCount: 0 })), [document]);
  return (
    <section aria-label={text.check}>
      <Text size="sm" role="status">
        {findings.length === 0 ? text.checkPassed(operations) : text.checkFound(operations, findings.length)}
      </Text>
      {findings.length > 0 && (
        <ul>
          {findings.slice(0, MOST_SHOWN).map((finding) => (
            <li key={finding}>{finding}</li>
          ))}
        </ul>
      )}
      {findings.length > MOST_SHOWN && <Text size="sm">{text.moreFindings(findings.length - MOST_SHOWN)}</Text>}
    </section>
  );
}
