import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { FieldErrors } from '../api/client.js';
import { readObject, tidy } from '../logic/json-text.js';
import { Field, textOf } from './forms.js';

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

export interface JsonFieldParts {
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
