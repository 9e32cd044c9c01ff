import { announce } from './announce.js';
import { h, newId } from './dom.js';
import { field, option } from './forms.js';
import { JsonInput } from './json-input.js';
import { schemaInWords, TYPE_NAMES, withProperty } from './schema-words.js';

/** A JSON Schema as text, in words below it, and a line that writes one more property. */
export class SchemaEditor {
  readonly json: JsonInput;
  readonly node: HTMLElement;

  constructor(schema: object) {
    this.json = new JsonInput({
      name: 'parameters',
      label: 'What the agent must know first',
      hint: 'JSON Schema. The agent reads the names and descriptions, and asks the caller for what is required.',
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
    // Enter would send the whole form.
    line.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.target instanceof HTMLButtonElement) return;
      event.preventDefault();
      add();
    });
    return line;
  }
}
