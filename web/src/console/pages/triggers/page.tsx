import "../../parts/stored/stored.css";
import { Button, Group, NativeSelect, Table, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { isOffered } from "../../access/actions.ts";
import { storedText } from "../../messages/objects/stored.ts";
import { triggersText as text } from "../../messages/objects/triggers.ts";
import { EditorDialog } from "../../parts/stored/editor-dialog.tsx";
import { EnabledSwitch } from "../../parts/stored/enabled-switch.tsx";
import { RowActions } from "../../parts/stored/row-actions.tsx";
import { StoredPage } from "../../parts/stored/stored-page.tsx";
import { useStoredList } from "../../parts/stored/use-stored-list.ts";
import { loadTrigger, loadTriggers, nameOf, parseName } from "./load-triggers.ts";
import { RunNow } from "./run-now.tsx";
import { deleteTrigger, kindOf, newTrigger, setTriggerMode, sourceOf, type Trigger } from "./trigger.ts";
import { TriggerForm } from "./trigger-form.tsx";

const kinds = [{ value: "", label: text.anyKind }, ...Object.entries(text.kinds).map(([value, label]) => ({ value, label }))];

/** Lists the triggers of a workspace of every kind, and creates, changes, tries and deletes them. */
export default function TriggersPage() {
  const [tried, setTried] = useState<Trigger>();
  const list = useStoredList<Trigger>({
    name: "triggers",
    isWhole: true,
    load: ({ workspace, signal }) => loadTriggers(workspace, signal),
    textsOf: (trigger) => [trigger.path, sourceOf(trigger), trigger.script_path],
  });
  const { workspace, member, search } = list;
  const isShown = (trigger: Trigger) => list.isShown(trigger) && (search.type === undefined || kindOf(trigger) === search.type);
  const mayChange = isOffered("sqs_triggers.update", member);
  return (
    <StoredPage
      text={text}
      guide="triggers"
      list={{ ...list, isShown }}
      mayCreate={isOffered("sqs_triggers.create", member)}
      remove={(name) => {
        const { api, path } = parseName(name);
        return deleteTrigger(api, { workspace, path });
      }}
      filters={
        <>
          <NativeSelect
            size="xs"
            label={text.kind}
            data={kinds}
            value={search.type ?? ""}
            onChange={({ target }) => search.change({ type: target.value || undefined })}
          />
          <Group gap="xs">
            <Text size="sm">{text.elsewhere}</Text>
            <Link to="/w/$ws/schedules" params={{ ws: workspace }}>
              {text.schedules}
            </Link>
            <Link to="/w/$ws/routes" params={{ ws: workspace }}>
              {text.routes}
            </Link>
          </Group>
        </>
      }
      columns={[storedText.path, text.source, text.runnable, storedText.enabled]}
      keyOf={nameOf}
      row={(trigger) => (
        <Row
          workspace={workspace}
          trigger={trigger}
          onChanged={() => void list.refresh()}
          onTry={() => setTried(trigger)}
          onEdit={mayChange ? () => search.openEdit(nameOf(trigger)) : undefined}
          onDelete={isOffered("sqs_triggers.delete", member) ? () => list.askToDelete(nameOf(trigger)) : undefined}
        />
      )}
    >
      <EditorDialog
        search={search}
        mayEdit={mayChange}
        newTitle={text.new}
        blank={newTrigger}
        load={(name) => loadTrigger(workspace, name)}
      >
        {(loaded, name) => (
          <TriggerForm workspace={workspace} name={name} loaded={loaded} onSaved={list.onSaved} onClose={search.closeEditor} />
        )}
      </EditorDialog>
      {tried && <RunNow workspace={workspace} trigger={tried} onClose={() => setTried(undefined)} />}
    </StoredPage>
  );
}

interface RowProps {
  workspace: string;
  trigger: Trigger;
  onChanged: () => void;
  onTry: () => void;
  onEdit: (() => void) | undefined;
  onDelete: (() => void) | undefined;
}

function Row({ workspace, trigger, onChanged, onTry, onEdit, onDelete }: RowProps) {
  const { api, path, script_path, is_flow, mode, error } = trigger;
  const kind = kindOf(trigger);
  return (
    <>
      <Table.Th scope="row" className="stored-path">
        {path}
        {error && (
          <Text size="sm" className="step-error">
            {error}
          </Text>
        )}
      </Table.Th>
      <Table.Td>
        <Text size="sm">{text.kinds[kind]}</Text>
        <span className="stored-value">{sourceOf(trigger)}</span>
      </Table.Td>
      <Table.Td>
        <Link to={is_flow ? "/w/$ws/flows/$" : "/w/$ws/scripts/$"} params={{ ws: workspace, _splat: script_path }}>
          {script_path}
        </Link>
      </Table.Td>
      <Table.Td>
        <EnabledSwitch
          path={path}
          isEnabled={mode === "enabled"}
          mayChange={onEdit !== undefined}
          save={(isOn) => setTriggerMode(api, { workspace, path }, isOn ? "enabled" : "disabled")}
          onChanged={onChanged}
        />
        {mode === "suspended" && <Text size="sm">{text.suspended}</Text>}
      </Table.Td>
      <Table.Td>
        <RowActions path={path} onEdit={onEdit} onDelete={onDelete}>
          {kind !== "mail" && (
            <Button size="compact-sm" variant="default" aria-label={text.runNowOf(path)} onClick={onTry}>
              {text.runNow}
            </Button>
          )}
          <Link to="/w/$ws/runs" params={{ ws: workspace }} search={{ trigger: api, path: script_path }} aria-label={text.lastRunsOf(path)}>
            {text.lastRuns}
          </Link>
        </RowActions>
      </Table.Td>
    </>
  );
}
