import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { FlowModule } from "../../../../../../contract/flows/flow-value.ts";
import { runText } from "../../../messages/run.ts";
import { detailsText } from "../../../messages/versions.ts";
import { LazyCode } from "../lazy-code.tsx";

interface FlowStepsProps {
  workspace: string;
  modules: readonly FlowModule[];
}

/** The steps of a flow as a nested list. */
export function FlowSteps({ workspace, modules }: FlowStepsProps) {
  return (
    <ol className="flow-steps">
      {modules.map((module) => (
        <li key={module.id}>
          <Step workspace={workspace} module={module} />
        </li>
      ))}
    </ol>
  );
}

function Step({ workspace, module }: { workspace: string; module: FlowModule }) {
  const { id, summary, value } = module;
  return (
    <>
      <Text>
        <strong>{id}</strong> {runText.kinds[value.type]}
        {summary ? `: ${summary}` : ""}{" "}
        {(value.type === "script" || value.type === "flow") && (
          <Link to={value.type === "flow" ? "/w/$ws/flows/$" : "/w/$ws/scripts/$"} params={{ ws: workspace, _splat: value.path }}>
            {value.path}
          </Link>
        )}
      </Text>
      {value.type === "rawscript" && <LazyCode label={detailsText.codeOf(id)} code={value.content} language={value.language} isFolded />}
      {(value.type === "forloopflow" || value.type === "whileloopflow") && <FlowSteps workspace={workspace} modules={value.modules} />}
      {(value.type === "branchone" || value.type === "branchall") && (
        <ul className="flow-branches">
          {value.branches.map((branch, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: branches have no other name
            <li key={index}>
              <Text size="sm" c="dimmed">
                {branch.summary || detailsText.branch(index + 1)}
              </Text>
              <FlowSteps workspace={workspace} modules={branch.modules} />
            </li>
          ))}
          {value.type === "branchone" && (value.default ?? []).length > 0 && (
            <li>
              <Text size="sm" c="dimmed">
                {detailsText.otherwise}
              </Text>
              <FlowSteps workspace={workspace} modules={value.default ?? []} />
            </li>
          )}
        </ul>
      )}
    </>
  );
}
