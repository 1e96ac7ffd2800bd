import { Text, UnstyledButton } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { FlowModule } from "../../../../../../contract/flows/flow-value.ts";
import { runText } from "../../../messages/run.ts";
import { detailsText } from "../../../messages/versions.ts";

interface FlowStepsProps {
  workspace: string;
  modules: readonly FlowModule[];
  /** The id of the step that is shown beside the list. */
  selected: string | undefined;
  onSelect: (id: string) => void;
}

/** The steps of a flow as a nested list. */
export function FlowSteps({ modules, ...rest }: FlowStepsProps) {
  return (
    <ol className="flow-steps">
      {modules.map((module) => (
        <li key={module.id}>
          <Step module={module} {...rest} />
        </li>
      ))}
    </ol>
  );
}

function Step({ module, ...rest }: Omit<FlowStepsProps, "modules"> & { module: FlowModule }) {
  const { workspace, selected, onSelect } = rest;
  const { id, summary, value } = module;
  return (
    <>
      <Text>
        <UnstyledButton className="flow-step" fw={700} aria-current={id === selected ? "true" : undefined} onClick={() => onSelect(id)}>
          {id}
        </UnstyledButton>{" "}
        {runText.kinds[value.type]}
        {summary ? `: ${summary}` : ""}{" "}
        {(value.type === "script" || value.type === "flow") && (
          <Link to={value.type === "flow" ? "/w/$ws/flows/$" : "/w/$ws/scripts/$"} params={{ ws: workspace, _splat: value.path }}>
            {value.path}
          </Link>
        )}
      </Text>
      {(value.type === "forloopflow" || value.type === "whileloopflow") && <FlowSteps {...rest} modules={value.modules} />}
      {(value.type === "branchone" || value.type === "branchall") && (
        <ul className="flow-branches">
          {value.branches.map((branch, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: branches have no other name
            <li key={index}>
              <Text size="sm" c="dimmed">
                {branch.summary || detailsText.branch(index + 1)}
              </Text>
              <FlowSteps {...rest} modules={branch.modules} />
            </li>
          ))}
          {value.type === "branchone" && (value.default ?? []).length > 0 && (
            <li>
              <Text size="sm" c="dimmed">
                {detailsText.otherwise}
              </Text>
              <FlowSteps {...rest} modules={value.default ?? []} />
            </li>
          )}
        </ul>
      )}
    </>
  );
}
