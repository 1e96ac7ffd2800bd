import { Button, Fieldset, Group, Stack, Text, TextInput } from "@mantine/core";
import {
  type ArrayFieldItemTemplateProps,
  type ArrayFieldTemplateProps,
  buttonId,
  canExpand,
  type DescriptionFieldProps,
  type FieldErrorProps,
  type FieldTemplateProps,
  getInputProps,
  getSchemaType,
  getTemplate,
  type IconButtonProps,
  type MultiSchemaFieldTemplateProps,
  type ObjectFieldTemplateProps,
  type TemplatesType,
  type WidgetProps,
} from "@rjsf/utils";
import type { MouseEvent } from "react";
import { common } from "./common.ts";

/** Inputs show their own labels and errors. Only groups need these templates. */
function FieldTemplate({ id, children, errors, hidden, displayLabel, schema, uiSchema, ...rest }: FieldTemplateProps) {
  if (hidden) return <div hidden>{children}</div>;
  const type = getSchemaType(schema);
  const showsItself = displayLabel || uiSchema?.["ui:field"] !== undefined || (type !== "object" && type !== "array");
  const WrapIfAdditional = getTemplate("WrapIfAdditionalTemplate", rest.registry);
  return (
    <WrapIfAdditional id={id} displayLabel={displayLabel ?? false} schema={schema} {...(uiSchema ? { uiSchema } : {})} {...rest}>
      {children}
      {showsItself ? null : errors}
    </WrapIfAdditional>
  );
}

function ObjectFieldTemplate(props: ObjectFieldTemplateProps) {
  const { title, description, properties, fieldPathId, registry, schema, uiSchema, formData, disabled, onAddProperty } = props;
  const { AddButton } = registry.templates.ButtonTemplates;
  const content = (
    <Stack gap="md">
      {description && <Text c="dimmed">{description}</Text>}
      {properties.map(({ content: property }) => property)}
      {canExpand(schema, uiSchema, formData) && (
        <Group>
          <AddButton id={buttonId(fieldPathId, "add")} disabled={disabled} onClick={onAddProperty} registry={registry} />
        </Group>
      )}
    </Stack>
  );
  // The form itself has a heading already.
  if (fieldPathId.path.length === 0) return content;
  return <Fieldset legend={title}>{content}</Fieldset>;
}

function ArrayFieldTemplate({
  title,
  required,
  schema,
  items,
  canAdd,
  disabled,
  fieldPathId,
  registry,
  onAddClick,
}: ArrayFieldTemplateProps) {
  const { AddButton } = registry.templates.ButtonTemplates;
  return (
    <Fieldset id={fieldPathId.$id} legend={`${title}${required ? " *" : ""}`}>
      <Stack gap="sm">
        {schema.description && <Text c="dimmed">{schema.description}</Text>}
        {items}
        {canAdd && (
          <Group>
            <AddButton id={buttonId(fieldPathId, "add")} disabled={disabled} onClick={onAddClick} registry={registry} />
          </Group>
        )}
      </Stack>
    </Fieldset>
  );
}

function ArrayFieldItemTemplate({ children, buttonsProps, hasToolbar, index, registry }: ArrayFieldItemTemplateProps) {
  const Buttons = getTemplate("ArrayFieldItemButtonsTemplate", registry);
  return (
    <Stack gap="xs" role="group" aria-label={`Item ${index + 1}`}>
      {children}
      {hasToolbar && (
        <Group gap="xs">
          <Buttons {...buttonsProps} />
        </Group>
      )}
    </Stack>
  );
}

function BaseInputTemplate(props: WidgetProps) {
  const { type, schema, value, placeholder, options, onChange, onChangeOverride } = props;
  const { type: kind, step, min, max, autoComplete } = getInputProps(schema, type, options, false);
  return (
    <TextInput
      {...common(props)}
      type={kind}
      step={step}
      min={min}
      max={max}
      // The password of the reader for this site is no value of a form.
      autoComplete={autoComplete ?? (kind === "password" ? "new-password" : "off")}
      placeholder={placeholder}
      value={value ?? ""}
      onChange={onChangeOverride ?? (({ target }) => onChange(target.value === "" ? options.emptyValue : target.value))}
    />
  );
}

function FieldErrorTemplate({ errors = [] }: FieldErrorProps) {
  if (errors.length === 0) return null;
  return (
    <Text c="var(--mantine-color-error)" size="sm" role="alert">
      {errors.join(" ")}
    </Text>
  );
}

/** The choice between several schemas, and the fields of the chosen one. */
const MultiSchemaFieldTemplate = ({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps) => (
  <Stack gap="sm">
    {selector}
    {optionSchemaField}
  </Stack>
);

const DescriptionFieldTemplate = ({ id, description }: DescriptionFieldProps) =>
  description ? (
    <Text id={id} c="dimmed">
      {description}
    </Text>
  ) : null;

/** The browser drops the focus of an item that moves or disappears. It returns to the buttons of the item, or to the one that adds an item. */
function restoreFocus(button: HTMLButtonElement, list: Element | null): void {
  const isUsable = button.isConnected && !button.disabled;
  const next = isUsable ? button : button.isConnected ? button.parentElement?.querySelector<HTMLElement>("button:enabled") : null;
  (next ?? document.getElementById(`${list?.id}__add`))?.focus();
}

function WordButton({ word, id = "", disabled = false, onClick = () => {} }: IconButtonProps & { word: string }) {
  const click = (event: MouseEvent<HTMLButtonElement>) => {
    const button = event.currentTarget;
    const list = button.closest("fieldset");
    onClick(event);
    requestAnimationFrame(() => restoreFocus(button, list));
  };
  return (
    <Button {...(id ? { id } : {})} type="button" variant="default" size="xs" disabled={disabled} onClick={click}>
      {word}
    </Button>
  );
}

export const templates: Partial<Omit<TemplatesType, "ButtonTemplates">> & { ButtonTemplates: Partial<TemplatesType["ButtonTemplates"]> } = {
  FieldTemplate,
  ObjectFieldTemplate,
  ArrayFieldTemplate,
  ArrayFieldItemTemplate,
  BaseInputTemplate,
  MultiSchemaFieldTemplate,
  FieldErrorTemplate,
  DescriptionFieldTemplate,
  ButtonTemplates: {
    AddButton: (props) => <WordButton {...props} word="Add" />,
    CopyButton: (props) => <WordButton {...props} word="Copy" />,
    RemoveButton: (props) => <WordButton {...props} word="Remove" />,
    MoveUpButton: (props) => <WordButton {...props} word="Up" />,
    MoveDownButton: (props) => <WordButton {...props} word="Down" />,
    ClearButton: (props) => <WordButton {...props} word="Clear" />,
  },
};
