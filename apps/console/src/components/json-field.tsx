import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { FieldErrors } from '../api/client.js';
import { readObject, schemaInWords, tidy, TYPE_NAMES, withProperty } from '../logic/json-text.js';
import { Choice, Field, textOf } from './forms.js';
import { announce } from './parts.js';

const TYPING_MS = 350;

const read = (text: string): ReturnType<typeof readObject> => readObject(text.trim() === '' ? '{}' : text);

/** The object of a field; null when it is empty. Adds problems to `errors`. */
export function jsonOf(values: FormData, name: string, errors: FieldErrors): Record<string, unknown> | null {
  const text = textOf(values, name);
  if (text === '') return null;
  const found = readObject(text);
  if ('value' in found) return found.value;
  errors[name] = [found.problem];
  return null;
}

interface JsonFieldParts {
  /** Field name in the API. */
  name: string;
  label: string;
  hint?: ComponentChildren;
  rows: number;
  text: Signal<string>;
  placeholder?: string;
  /** Describes the object below the input. */
  describe?: (value: Record<string, unknown>) => string;
}

export const useJsonText = (value: object | null): Signal<string> => useSignal(value === null ? '' : tidy(value));

/** An input for a JSON object; errors appear below it when typing stops. */
export function JsonField({ name, label, hint, rows, text, placeholder, describe }: JsonFieldParts): VNode {
  const settled = useSignal(text.value);
  useEffect(() => {
    const typing = setTimeout(() => (settled.value = text.value), TYPING_MS);
    return () => clearTimeout(typing);
  }, [text.value]);
  const found = read(settled.value);
  const state = 'problem' in found ? found.problem : describe?.(found.value);
  return (
    <Field
      name={name}
      label={label}
      hint={hint}
      after={
        <div class={`json-state small${'problem' in found ? ' bad-text' : ''}`} role="status">
          {state}
        </div>
      }
    >
      <textarea
        rows={rows}
        spellcheck={false}
        autocomplete="off"
        class="code"
        placeholder={placeholder}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
    </Field>
  );
}

/** An editor for a JSON Schema, with a summary in words and a line that adds a property. */
export const SchemaEditor = ({ text }: { text: Signal<string> }): VNode => (
  <div class="stack schema-editor">
    <JsonField
      name="parameters"
      label="Arguments"
      hint="JSON Schema. The agent reads the names and descriptions, and asks the user for required arguments."
      rows={10}
      text={text}
      describe={schemaInWords}
    />
    <PropertyLine text={text} />
  </div>
);

function PropertyLine({ text }: { text: Signal<string> }): VNode {
  const line = useRef<HTMLDivElement>(null);
  const add = (): void => {
    const inputs = line.current?.querySelectorAll<HTMLInputElement>('input, select') ?? [];
    const [name, type, description, required] = inputs;
    const found = read(text.value);
    if (!name || !type || !description || !required || 'problem' in found) return;
    if (name.value.trim() === '') return name.focus();
    const property = { name: name.value.trim(), type: type.value, description: description.value.trim() };
    text.value = tidy(withProperty(found.value, { ...property, isRequired: required.checked }));
    announce(`${property.name} was added.`);
    for (const input of [name, description]) input.value = '';
    name.focus();
  };
  return (
    <div
      ref={line}
      class="property-line"
      role="group"
      aria-label="Add an argument"
      onKeyDown={(event) => {
        // Enter would submit the whole form.
        if (event.key !== 'Enter' || event.target instanceof HTMLButtonElement) return;
        event.preventDefault();
        add();
      }}
    >
      <Field name="property.name" label="Argument">
        <input autocomplete="off" spellcheck={false} placeholder="order_id" />
      </Field>
      <Field name="property.type" label="Type">
        <Choice options={Object.entries(TYPE_NAMES)} />
      </Field>
      <Field name="property.description" label="Description">
        <input autocomplete="off" placeholder="The number on the receipt." />
      </Field>
      <span class="check">
        <input id="property-required" type="checkbox" defaultChecked />
        <label for="property-required">Required</label>
      </span>
      <button type="button" data-act="add-property" onClick={add}>
        Add
      </button>
    </div>
  );
}
