import { h, newId } from './dom.js';
import { field, option } from './forms.js';
import { type FieldErrors, JsonInput } from './json-input.js';
import type { NewToolAction, ToolAction } from './types.js';

const METHODS: readonly ToolAction['method'][] = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'];
const DEFAULT_SECONDS = 10;

interface Does {
  remove: () => void;
  moveUp: () => void;
}

/** One request that a tool makes. */
export class ToolActionForm {
  private readonly legend = h('legend', null);
  private readonly name: HTMLInputElement;
  private readonly url: HTMLInputElement;
  private readonly method: HTMLSelectElement;
  private readonly waits: HTMLInputElement;
  private readonly seconds: HTMLInputElement;
  private readonly headers: HeaderRows;
  private readonly query: JsonInput;
  private readonly payload: JsonInput;
  private readonly up: HTMLButtonElement;
  readonly node: HTMLElement;

  constructor(action: ToolAction | undefined, { remove, moveUp }: Does) {
    this.name = h('input', { value: action?.name ?? '', maxlength: 255, autocomplete: 'off', placeholder: 'look_up' });
    this.url = urlInput(action);
    this.method = h(
      'select',
      null,
      METHODS.map((one) => option(one, one, one === action?.method)),
    );
    this.waits = h('input', { type: 'checkbox', checked: action?.wait_response ?? true });
    const seconds = action?.timeout_seconds ?? DEFAULT_SECONDS;
    this.seconds = h('input', { inputmode: 'numeric', class: 'short', value: seconds });
    this.headers = new HeaderRows(action?.headers ?? null);
    this.query = queryInput(action);
    this.payload = payloadInput(action);
    this.up = h('button', { type: 'button', class: 'quiet', onclick: moveUp }, 'Move up');
    const hasMore = Boolean(action?.headers ?? action?.query_params ?? action?.payload);
    this.node = this.fieldset(hasMore, remove);
    for (const place of this.places()) place.dataset['of'] = place.dataset['field'];
  }

  private fieldset(hasMore: boolean, remove: () => void): HTMLElement {
    return h(
      'fieldset',
      { class: 'card tight stack action-form' },
      this.legend,
      field({
        name: 'name',
        label: 'Name',
        input: this.name,
        hint: 'The agent receives the response under this name.',
      }),
      h(
        'div',
        { class: 'method-url' },
        field({ name: 'method', label: 'Method', input: this.method }),
        field({ name: 'url', label: 'Address', input: this.url }),
      ),
      field({ name: 'wait_response', label: 'The agent waits for the response', input: this.waits }),
      this.secondsField(),
      h(
        'details',
        { open: hasMore },
        h('summary', null, 'Headers, query and body'),
        h('div', { class: 'stack' }, this.headers.node, this.query.node, this.payload.node),
      ),
      h(
        'div',
        { class: 'actions' },
        this.up,
        h('button', { type: 'button', class: 'quiet', onclick: remove }, 'Remove the request'),
      ),
    );
  }

  /** Its place in the list. */
  place(index: number): void {
    this.legend.textContent = `Request ${index + 1}`;
    this.up.hidden = index === 0;
  }

  focus(): void {
    this.name.focus();
  }

  read(index: number, errors: FieldErrors): NewToolAction {
    // Called twice: reading the header rows sets their names.
    this.nameFields(index);
    const headers = this.headers.read(errors);
    this.nameFields(index);
    const seconds = this.seconds.value.trim();
    return {
      name: this.name.value.trim(),
      url: this.url.value.trim(),
      method: METHODS.find((one) => one === this.method.value) ?? null,
      wait_response: this.waits.checked,
      timeout_seconds: seconds === '' ? null : Number(seconds),
      headers,
      query_params: this.query.read(errors),
      payload: this.payload.read(errors),
    };
  }

  private nameFields(index: number): void {
    for (const place of this.places()) {
      place.dataset['of'] ??= place.dataset['field'];
      place.dataset['field'] = `webhook_actions.${index}.${place.dataset['of'] ?? ''}`;
    }
  }

  private places(): NodeListOf<HTMLElement> {
    return this.node.querySelectorAll<HTMLElement>('[data-field]');
  }

  private secondsField(): HTMLElement {
    const place = field({
      name: 'timeout_seconds',
      label: 'For so many seconds at most',
      input: this.seconds,
      hint: '1 to 120.',
    });
    const show = (): void => void (place.hidden = !this.waits.checked);
    this.waits.addEventListener('change', show);
    show();
    return place;
  }
}

const urlInput = (action: ToolAction | undefined): HTMLInputElement =>
  h('input', {
    type: 'url',
    value: action?.url ?? '',
    maxlength: 2_048,
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'https://example.com/orders/{{args.order_id}}',
  });

const queryInput = (action: ToolAction | undefined): JsonInput =>
  new JsonInput({
    name: 'query_params',
    label: 'Added to the query',
    rows: 3,
    value: action?.query_params ?? null,
    placeholder: '{ "source": "phone" }',
  });

const payloadInput = (action: ToolAction | undefined): JsonInput =>
  new JsonInput({
    name: 'payload',
    label: 'Body',
    rows: 5,
    value: action?.payload ?? null,
    placeholder: '{ "order": "{{args.order_id}}" }',
    hint: 'Empty: what the agent gave. Placeholders: {{args.…}}, {{call.to_number}}, {{metadata.…}}, {{agent.name}}.',
  });

/** The API returns this mask instead of a secret value, and keeps the stored value when it receives the mask. */
const MASK = '********';

type GivenHeaders = NonNullable<NewToolAction['headers']>;

interface Row {
  node: HTMLElement;
  read: () => { name: string; given: GivenHeaders[string] } | undefined;
}

/** The headers of a request. Masked values stay unchanged until the user enters new ones. */
class HeaderRows {
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
      if (header.name in headers) errors[this.node.dataset['field'] ?? ''] = [`${header.name} is given twice.`];
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
    // A stored value keeps its secret flag.
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
