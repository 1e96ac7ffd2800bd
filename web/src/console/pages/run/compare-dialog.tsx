import { Modal, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Ago } from "../../../shared/time/ago.tsx";
import { call } from "../../data/api.ts";
import { stateOf } from "../../data/run-state.ts";
import { Panel } from "../../frame/panel.tsx";
import { compareText } from "../../messages/compare.ts";
import { StateBadge } from "../../parts/state-badge.tsx";
import type { RunJob } from "./use-run.ts";

const SHOWN = 20;

/** Chooses the run to compare with, among the last ones of the same path. */
export function CompareDialog({
  workspace,
  run,
  isOpen,
  onClose,
}: {
  workspace: string;
  run: RunJob;
  isOpen: boolean;
  onClose: () => void;
}) {
  const path = run.script_path ?? "";
  const others = useQuery({
    queryKey: [workspace, "runs of", path],
    queryFn: ({ signal }) =>
      call.jobs.list({ workspace, query: { script_path_exact: path, has_null_parent: true, per_page: SHOWN }, signal }),
    enabled: isOpen,
  });
  return (
    <Modal opened={isOpen} onClose={onClose} title={compareText.choose} size="lg">
      <Panel query={others} isEmpty={(found) => found.every(({ id }) => id === run.id)} empty={<Text>{compareText.noOther}</Text>}>
        {(found) => (
          <ul className="plain-list">
            {found
              .filter(({ id }) => id !== run.id)
              .map((other) => (
                <li key={other.id} className="line">
                  <StateBadge state={stateOf(other, Date.now())} />
                  <Link to="/w/$ws/runs/$id/compare/$other" params={{ ws: workspace, id: run.id, other: other.id }}>
                    {other.created_by} {other.id.slice(-6)}
                  </Link>
                  <Ago at={other.created_at} />
                </li>
              ))}
          </ul>
        )}
      </Panel>
    </Modal>
  );
}
