import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flowShapeSchema } from "../../../../../../../contract/flows/flow-value.ts";
import { wordsOf } from "../../../../messages/editor/step-fields.ts";
import {
  type Fields,
  flowSettings,
  moduleOptions,
  ON_CANVAS,
  otherFields,
  specialFields,
  valueSettings,
  withOtherFields,
} from "./fields.ts";

/** The part of a schema's definition that lists its fields. */
interface Shape {
  shape?: Record<string, Shape>;
  options?: Shape[];
  element?: Shape;
  unwrap?: () => Shape;
}

/** The schema inside `nullish`. */
function inside(schema: Shape): Shape {
  return schema.unwrap && !schema.element ? inside(schema.unwrap()) : schema;
}

/** The paths of the fields of an object and of the objects in it. Constants and expressions are one field. */
function pathsOf(schema: Shape, skipped: readonly string[] = []): string[] {
  return Object.entries(schema.shape ?? {})
    .filter(([name]) => !skipped.includes(name))
    .flatMap(([name, field]) => {
      const { shape } = inside(field);
      return shape && Object.keys(shape).length > 0 ? pathsOf(inside(field)).map((path) => `${name}.${path}`) : [name];
    });
}

function editorsOf(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    // The form of an approval is one field of the contract, whose content is free.
    field.kind === "group" && name !== "resume_form" ? editorsOf(field.fields).map((path) => `${name}.${path}`) : [name],
  );
}

const flow = flowShapeSchema as unknown as Shape;
const module = flow.shape?.["modules"]?.element ?? {};
const kinds = (module.shape?.["value"]?.options ?? []).map((kind) => {
  const { type } = kind.shape as unknown as { type: { value: string } };
  return { type: type.value, kind };
});

describe("each field of the contract has an editor", () => {
  it("for the options of a step", () => {
    expect(editorsOf(moduleOptions).sort()).toEqual(pathsOf(module, ["id", "value", "summary"]).sort());
  });

  it.each(kinds)("for a step of the kind $type", ({ type, kind }) => {
    expect([...editorsOf(valueSettings[type] ?? {}), ...(specialFields[type] ?? [])].sort()).toEqual(pathsOf(kind, ["type"]).sort());
  });

  it("for a flow", () => {
    expect([...editorsOf(flowSettings), ...ON_CANVAS].sort()).toEqual(pathsOf(flow, ON_CANVAS).concat(ON_CANVAS).sort());
  });

  it("for no kind that the contract does not have", () => {
    expect(Object.keys(valueSettings).sort()).toEqual(kinds.map(({ type }) => type).sort());
  });
});

it("each editor has words", () => {
  const visit = (fields: Fields, around: string): string[] =>
    Object.entries(fields).flatMap(([name, field]) => [
      ...(wordsOf(around, name) ? [] : [`${around}.${name}`]),
      ...(field.kind === "group" ? visit(field.fields, name) : []),
    ]);
  const values = Object.entries(valueSettings).flatMap(([kind, fields]) => visit(fields, kind));
  expect([...visit(moduleOptions, "step"), ...values, ...visit(flowSettings, "flow")]).toEqual([]);
});

it("the fields that no editor shows stay when they are opened and saved", () => {
  const shown = Object.keys(moduleOptions);
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("retry", "x_mine", "delete_after_use", "__proto__", "timeout"), fc.jsonValue()), (values) => {
      expect(withOtherFields(values, shown, otherFields(values, shown))).toEqual(values);
    }),
  );
});
