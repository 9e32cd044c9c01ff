import type { ApiError } from './api.js';
import { type Child, fill, h, newId } from './dom.js';
import { field, option } from './forms.js';
import { readObject, schemaInWords, tidy, TYPE_NAMES, withProperty } from './json-text.js';
import { announce } from './notices.js';

/** Sentences by field, as the API returns them. */
export type FieldErrors = Record<string, ApiError['errors'][string]>;

interface JsonField {
  /** Field name in the API. */
  name: string;
  label: string;
  hint?: Child;
  rows: number;
  value: object | null;
  placeholder?: string;
  /** Describes the object below the input; undefined: no description. */
  describe?: (value: Record<string, unknown>) => Child;
}

const TYPING_MS = 350;

/** An input for a JSON object; errors appear below it when typing stops. */
export class JsonInput {
  readonly input: HTMLTextAreaElement;
  private readonly state = h('div', { class: 'json-state small', role: 'status' });
  readonly node: HTMLElement;

  constructor(private readonly parts: JsonField) {
    const { name, label, hint, rows, value, placeholder } = parts;
    this.input = h('textarea', { rows, spellcheck: 'false', autocomplete: 'off', class: 'code', placeholder });
    this.input.value = value === null ? '' : tidy(value);
    this.node = field({ name, label, input: this.input, hint });
    this.node.append(this.state);
    let typing: ReturnType<typeof setTimeout> | undefined;
    this.input.addEventListener('input', () => {
      clearTimeout(typing);
      typing = setTimeout(() => this.show(), TYPING_MS);
    });
    this.show();
  }

  /** The object; null when the input is empty. Adds problems to `errors`. */
  read(errors: FieldErrors): Record<string, unknown> | null {
    if (this.isEmpty) return null;
    const read = readObject(this.input.value);
    if ('value' in read) return read.value;
    errors[this.node.dataset['field'] ?? ''] = [read.problem];
    return null;
  }

  /** The current object; undefined while the text is not an object. */
  get value(): Record<string, unknown> | undefined {
    const read = readObject(this.isEmpty ? '{}' : this.input.value);
    return 'value' in read ? read.value : undefined;
  }

  write(value: object): void {
    this.input.value = tidy(value);
    this.show();
    this.input.dispatchEvent(new Event('input', { bubbles: true }));
  }

  private get isEmpty(): boolean {
    return this.input.value.trim() === '';
  }

  private show(): void {
    const read = readObject(this.isEmpty ? '{}' : this.input.value);
    this.state.classList.toggle('bad-text', 'problem' in read);
    fill(this.state, 'problem' in read ? read.problem : this.parts.describe?.(read.value));
  }
}

/** An editor for a JSON Schema, with a summary in words and a line that adds a property. */
export class SchemaEditor {
  readonly json: JsonInput;
  readonly node: HTMLElement;

  constructor(schema: object) {
    this.json = new JsonInput({
      name: 'parameters',
      label: 'Arguments',
      hint: 'JSON Schema. The agent reads the names and descriptions, and asks the user for required arguments.',
      rows: 10,
      value: schema,
      describe: schemaInWords,
    });
    this.node = h('div', { class: 'stack schema-editor' }, this.json.node, this.propertyLine());
  }

  private propertyLine(): HTMLElement {
    const name = h('input', { autocomplete: 'off', spellcheck: 'false', placeholder: 'order_id' });
    const type = h(
      'select',
      null,
      Object.entries(TYPE_NAMES).map(([value, label]) => option(value, label)),
    );
    const description = h('input', { autocomplete: 'off', placeholder: 'The number on the receipt.' });
    const required = h('input', { type: 'checkbox', checked: true, id: newId('required') });
    const add = (): void => {
      const schema = this.json.value;
      if (name.value.trim() === '' || !schema) return (schema ? name : this.json.input).focus();
      const property = { name: name.value.trim(), type: type.value, description: description.value.trim() };
      this.json.write(withProperty(schema, { ...property, isRequired: required.checked }));
      announce(`${property.name} was added.`);
      for (const input of [name, description]) input.value = '';
      name.focus();
    };
    const line = h(
      'div',
      { class: 'property-line', role: 'group', 'aria-label': 'Add an argument' },
      field({ name: 'property.name', label: 'Argument', input: name }),
      field({ name: 'property.type', label: 'Type', input: type }),
      field({ name: 'property.description', label: 'Description', input: description }),
      h('span', { class: 'check' }, required, h('label', { for: required.id }, 'Required')),
      h('button', { type: 'button', 'data-act': 'add-property', onclick: add }, 'Add'),
    );
    // Enter would submit the whole form.
    line.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.target instanceof HTMLButtonElement) return;
      event.preventDefault();
      add();
    });
    return line;
  }
}
