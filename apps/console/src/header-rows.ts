import { h, newId } from './dom.js';
import type { FieldErrors } from './json-input.js';
import type { NewToolAction } from './types.js';

/** What the API shows in the place of a secret value, and takes for "as it was". */
const MASK = '********';

type GivenHeaders = NonNullable<NewToolAction['headers']>;

interface Row {
  node: HTMLElement;
  read: () => { name: string; given: GivenHeaders[string] } | undefined;
}

/** The headers of a request. Values that the API keeps to itself stay as they are until another one is typed. */
export class HeaderRows {
  private rows: Row[] = [];
  private readonly list = h('ul', { class: 'plain stack header-rows' });
  private readonly add = h(
    'button',
    { type: 'button', class: 'chip', onclick: () => this.addRow().focus() },
    'Add a header',
  );
  readonly node: HTMLElement;

  constructor(headers: Readonly<Record<string, string>> | null) {
    const id = newId('headers');
    this.node = h(
      'div',
      { class: 'field', 'data-field': 'headers', role: 'group', 'aria-labelledby': id },
      h('span', { id, class: 'label' }, 'Headers'),
      h('p', { class: 'field-error' }),
      this.list,
      h('div', { class: 'chips' }, this.add),
    );
    for (const [name, value] of Object.entries(headers ?? {})) this.addRow(name, value);
  }

  /** null: there are none. */
  read(errors: FieldErrors): GivenHeaders | null {
    const headers: GivenHeaders = {};
    for (const row of this.rows) {
      const header = row.read();
      if (!header) continue;
      row.node.dataset['of'] = `headers.${header.name}`;
      if (header.name in headers) errors[this.node.dataset['field'] ?? ''] = [`${header.name} stands here twice.`];
      headers[header.name] = header.given;
    }
    return Object.keys(headers).length === 0 ? null : headers;
  }

  private addRow(name = '', value = ''): HTMLInputElement {
    const row = headerRow(name, value, () => {
      this.rows = this.rows.filter((one) => one !== row);
      row.node.remove();
      this.add.focus();
    });
    this.rows.push(row);
    this.list.append(row.node);
    return row.first;
  }
}

function headerRow(name: string, value: string, onRemove: () => void): Row & { first: HTMLInputElement } {
  const isKept = value === MASK;
  const key = h('input', {
    value: name,
    'aria-label': 'Name of the header',
    placeholder: 'Authorization',
    autocomplete: 'off',
  });
  const content = h('input', {
    'aria-label': 'Value of the header',
    autocomplete: 'off',
    spellcheck: 'false',
    value: isKept ? '' : value,
    placeholder: isKept ? 'Kept; type a new one' : 'Value',
  });
  const secret = h('input', { type: 'checkbox', checked: isKept || name === '', id: newId('secret') });
  const show = (): void => {
    content.type = secret.checked ? 'password' : 'text';
    // Whether a value that is kept is secret was said when it was given.
    secret.disabled = isKept && content.value === '';
    if (secret.disabled) secret.checked = true;
  };
  for (const input of [content, secret]) input.addEventListener('input', show);
  show();
  const node = h(
    'li',
    { class: 'header-row', 'data-field': 'headers' },
    key,
    content,
    h('span', { class: 'check' }, secret, h('label', { for: secret.id }, 'Secret')),
    h('button', { type: 'button', class: 'quiet', onclick: onRemove, 'aria-label': 'Remove the header' }, 'Remove'),
    h('p', { class: 'field-error' }),
  );
  const read: Row['read'] = () => {
    const trimmed = key.value.trim();
    if (trimmed === '' && content.value === '') return undefined;
    const stays = isKept && content.value === '';
    return { name: trimmed, given: stays ? MASK : { value: content.value, secret: secret.checked } };
  };
  return { node, read, first: key };
}
