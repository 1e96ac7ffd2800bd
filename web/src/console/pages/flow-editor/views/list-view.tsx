import { Button, Text } from "@mantine/core";
import { flowEditorText as text } from "../../../messages/editor/flow.ts";
import type { Module } from "../document/flow-document.ts";
import { innerLists, type ListRef, MAIN, modulesOf, type Position } from "../document/lists.ts";
import { IterationChoice } from "../test/iteration-choice.tsx";
import { addLabel } from "./add-label.ts";
import { describeList } from "./describe-step.ts";
import { StepButton } from "./step-button.tsx";
import { stepKeys } from "./step-keys.ts";
import type { ViewProps } from "./view-props.ts";

/** The flow as a nested list, with the actions of the graph. */
export function ListView(props: ViewProps) {
  const { value } = props.editor;
  const { failure_module: failure, preprocessor_module: preprocessor } = value;
  const first = preprocessor?.id ?? value.modules[0]?.id ?? failure?.id;
  return (
    <section className="flow-list-view" aria-label={text.list} {...stepKeys(props)}>
      <Text size="sm" c="dimmed" mb="xs">
        {text.keys}
      </Text>
      {preprocessor && <StepItem {...props} module={preprocessor} first={first} />}
      <StepList {...props} list={MAIN} modules={value.modules} first={first} />
      {failure && <StepItem {...props} module={failure} first={first} />}
    </section>
  );
}

interface ListProps extends ViewProps {
  /** The step that the Tab key reaches while none is current. */
  first: string | undefined;
}

function StepList({ list, modules, ...rest }: ListProps & { list: ListRef; modules: readonly Module[] }) {
  return (
    <ol className="flow-list" aria-label={list.owner === undefined ? text.list : text.stepsOf(list.owner)}>
      {modules.map((module, index) => (
        <li key={module.id}>
          <AddButton {...rest} position={{ list, index }} />
          <StepItem {...rest} module={module} />
        </li>
      ))}
      <li>
        {list.owner === undefined && modules.length === 0 && <Text c="dimmed">{text.noSteps}</Text>}
        <AddButton {...rest} position={{ list, index: modules.length }} />
      </li>
    </ol>
  );
}

function AddButton({ editor, readOnly, onAdd, position }: ViewProps & { position: Position }) {
  if (readOnly) return null;
  const label = addLabel(editor.value, position);
  const isBetween = modulesOf(editor.value, position.list)[position.index] !== undefined;
  return (
    <Button
      className="flow-list-add"
      data-between={isBetween}
      size="compact-xs"
      variant="subtle"
      aria-label={label}
      onClick={() => onAdd(position)}
    >
      {isBetween ? "+" : `+ ${text.addTitle}`}
    </Button>
  );
}

function StepItem({ module, first, ...view }: ListProps & { module: Module }) {
  const { editor, folded, tested, onFold } = view;
  const { id } = module;
  const lists = innerLists(module);
  const isFolded = folded.has(id);
  return (
    <div className="flow-item">
      <div className="flow-item-head">
        <StepButton
          module={module}
          isCurrent={editor.current === id}
          isFirst={first === id && editor.current === undefined}
          isOpen={editor.opened === id}
          tested={tested.get(id)}
          onFocus={() => editor.current !== id && editor.focus(id)}
          onOpen={() => editor.open(id)}
        />
        {lists.length > 0 && (
          <Button
            size="compact-xs"
            variant="default"
            aria-expanded={!isFolded}
            aria-label={isFolded ? text.unfold(id) : text.fold(id)}
            onClick={() => onFold(id, !isFolded)}
          >
            {isFolded ? "+" : "−"}
          </Button>
        )}
      </div>
      {!isFolded &&
        lists.map(({ list, modules }) => (
          <div key={list} className="flow-item-lane">
            <Text size="xs" className="flow-lane">
              {describeList(module, list)}
            </Text>
            {list === "modules" && <IterationChoice tested={tested.get(id)} onChoose={view.onChooseIteration} />}
            <StepList {...view} first={first} list={{ owner: id, list }} modules={modules} />
          </div>
        ))}
    </div>
  );
}
