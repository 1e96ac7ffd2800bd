import "../../parts/stored/stored.css";
import { Button, Group, Table, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ScheduleJson } from "../../../../../contract/routes/schedules/schedule.ts";
import { isOffered } from "../../access/actions.ts";
import { call } from "../../data/objects-api.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { notifications } from "../../frame/notifications.tsx";
import { schedulesText as text } from "../../messages/objects/schedules.ts";
import { storedText } from "../../messages/objects/stored.ts";
import { PermissionsButton } from "../../parts/people/permissions.tsx";
import { EditorDialog } from "../../parts/stored/editor-dialog.tsx";
import { EnabledSwitch } from "../../parts/stored/enabled-switch.tsx";
import { RowActions } from "../../parts/stored/row-actions.tsx";
import { StoredPage } from "../../parts/stored/stored-page.tsx";
import { useStoredList } from "../../parts/stored/use-stored-list.ts";
import { describeCron, loadSchedule, newSchedule } from "./schedule.ts";

// The form of a schema is large, and lists need none.
const ScheduleForm = loadOnDemand(async () => ({ default: (await import("./schedule-form.tsx")).ScheduleForm }));

/** Lists the schedules of a workspace, and creates, changes, runs and deletes them. */
export default function SchedulesPage() {
  const list = useStoredList({
    name: "schedules",
    load: ({ workspace, page, sought, signal }) => call.schedules.list({ workspace, query: { ...page, broad_filter: sought }, signal }),
  });
  const { workspace, member, search } = list;
  const mayChange = isOffered("schedules.update", member);
  return (
    <StoredPage
      text={text}
      guide="schedules"
      list={list}
      mayCreate={isOffered("schedules.create", member)}
      columns={[storedText.path, text.runnable, text.cron, storedText.enabled]}
      remove={(path) => call.schedules.delete({ workspace, path })}
      keyOf={({ path }) => path}
      row={(schedule) => (
        <Row
          workspace={workspace}
          schedule={schedule}
          onChanged={() => void list.refresh()}
          onEdit={mayChange ? () => search.openEdit(schedule.path) : undefined}
          onDelete={isOffered("schedules.delete", member) ? () => list.askToDelete(schedule.path) : undefined}
        />
      )}
    >
      <EditorDialog
        search={search}
        mayEdit={mayChange}
        newTitle={text.new}
        blank={newSchedule}
        load={(path) => loadSchedule(workspace, path)}
        size="xl"
      >
        {(loaded, path) => (
          <ScheduleForm workspace={workspace} path={path} loaded={loaded} onSaved={list.onSaved} onClose={search.closeEditor} />
        )}
      </EditorDialog>
    </StoredPage>
  );
}

interface RowProps {
  workspace: string;
  schedule: ScheduleJson;
  onChanged: () => void;
  onEdit: (() => void) | undefined;
  onDelete: (() => void) | undefined;
}

function Row({ workspace, schedule, onChanged, onEdit, onDelete }: RowProps) {
  const { path, summary, script_path, is_flow, enabled, error, args } = schedule;
  const navigate = useNavigate();
  const run = useMutation({
    mutationFn: () => (is_flow ? call.jobs.run.flows : call.jobs.run.scripts)({ workspace, path: script_path, body: args }),
    onSuccess: (id) => void navigate({ to: "/w/$ws/runs/$id", params: { ws: workspace, id } }),
    onError: ({ message }) => notifications.show({ message }),
  });
  return (
    <>
      <Table.Th scope="row" className="stored-path">
        {path}
        <Text size="sm" c="dimmed">
          {summary}
        </Text>
        {error && (
          <Text size="sm" className="step-error">
            {error}
          </Text>
        )}
      </Table.Th>
      <Table.Td>
        <Link to={is_flow ? "/w/$ws/flows/$" : "/w/$ws/scripts/$"} params={{ ws: workspace, _splat: script_path }}>
          {script_path}
        </Link>
      </Table.Td>
      <Table.Td className="wide-cell">
        <code>{schedule.schedule}</code>
        <Text size="sm">{describeCron(schedule.schedule, schedule.cron_version)}</Text>
        <Text size="sm" c="dimmed">
          {schedule.timezone}
        </Text>
      </Table.Td>
      <Table.Td>
        <EnabledSwitch
          path={path}
          isEnabled={enabled}
          mayChange={onEdit !== undefined}
          save={(isOn) => call.schedules.setEnabled({ workspace, path, body: { enabled: isOn } })}
          onChanged={onChanged}
        />
      </Table.Td>
      <Table.Td>
        <RowActions path={path} onEdit={onEdit} onDelete={onDelete}>
          <Group gap={6} wrap="nowrap">
            <PermissionsButton kind="schedule" path={path} />
            <Button
              size="compact-sm"
              variant="default"
              aria-label={text.runNowOf(path)}
              loading={run.isPending}
              onClick={() => run.mutate()}
            >
              {text.runNow}
            </Button>
            <Link to="/w/$ws/runs" params={{ ws: workspace }} search={{ trigger: "schedule", path: script_path }}>
              {text.lastRuns}
            </Link>
          </Group>
        </RowActions>
      </Table.Td>
    </>
  );
}
