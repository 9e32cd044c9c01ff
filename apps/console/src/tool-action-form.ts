import { h } from './dom.js';
import { field, option } from './forms.js';
import { HeaderRows } from './header-rows.js';
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
      field({ name: 'name', label: 'Name', input: this.name, hint: 'The agent gets the answer under this name.' }),
      h(
        'div',
        { class: 'method-url' },
        field({ name: 'method', label: 'Method', input: this.method }),
        field({ name: 'url', label: 'Address', input: this.url }),
      ),
      field({ name: 'wait_response', label: 'The agent waits for the answer', input: this.waits }),
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
    // Twice: the rows of headers learn from reading them what they are called.
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
