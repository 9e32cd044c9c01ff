import { atWork } from './buttons.js';
import { ApiError } from './api.js';
import { type Child, fill, h, newId } from './dom.js';
import { Trouble } from './notices.js';

export type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

interface Field {
  /** Field name in the API's `errors`. */
  name: string;
  label: string;
  input: Input;
  hint?: Child;
}

/** A labelled input, with a place for its errors. */
export function field({ name, label, input, hint }: Field): HTMLElement {
  input.id ||= newId('input');
  const [hintId, errorId] = [`${input.id}-hint`, `${input.id}-error`];
  input.setAttribute('aria-describedby', hint ? `${hintId} ${errorId}` : errorId);
  return h(
    'div',
    { class: `field${input.type === 'checkbox' ? ' check' : ''}`, 'data-field': name },
    h('label', { for: input.id }, label),
    input,
    hint ? h('p', { id: hintId, class: 'hint' }, hint) : null,
    h('p', { id: errorId, class: 'field-error' }),
  );
}

interface FormParts {
  class?: string;
  submit: string;
  /** Label of the button while sending. */
  busy: string;
  send: () => Promise<void>;
  label: string;
  /** The page that Cancel leads to. */
  cancel?: string;
}

/** A form that sends one request at a time. API errors of fields appear at the fields, others above the button. */
export function form(parts: FormParts, ...children: Child[]): HTMLFormElement {
  const trouble = new Trouble();
  const button = h('button', { type: 'submit', class: 'primary' }, parts.submit);
  const element = h(
    'form',
    { class: parts.class ?? 'stack', 'aria-label': parts.label, novalidate: true },
    ...children,
    trouble.node,
    h(
      'div',
      { class: 'actions' },
      button,
      parts.cancel ? h('a', { class: 'button quiet', href: parts.cancel }, 'Cancel') : null,
    ),
  );
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    void atWork(button, async () => {
      button.textContent = parts.busy;
      clearErrors(element);
      trouble.clear();
      await parts.send().catch((error: unknown) => showErrors(element, trouble, error));
      button.textContent = parts.submit;
    });
  });
  return element;
}

function clearErrors(element: HTMLElement): void {
  for (const place of element.querySelectorAll('.field-error')) place.replaceChildren();
  for (const input of element.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
}

function showErrors(element: HTMLElement, trouble: Trouble, error: unknown): void {
  const rest = error instanceof ApiError ? placeErrors(element, error) : [];
  if (!(error instanceof ApiError) || Object.keys(error.errors).length === 0) trouble.show(error);
  else if (rest.length > 0) trouble.show(new Error(rest.join(' ')));
  element.querySelector<HTMLElement>('[aria-invalid]')?.focus();
}

/** @returns the sentences that belong to no field of the form */
function placeErrors(element: HTMLElement, { errors }: ApiError): string[] {
  return Object.entries(errors).flatMap(([name, sentences]) => {
    const place = fieldOf(element, name);
    const input = place?.querySelector('input, select, textarea');
    if (!place || !input) return [...sentences];
    input.setAttribute('aria-invalid', 'true');
    const details = place.closest('details');
    if (details) details.open = true;
    const error = place.querySelector('.field-error');
    if (error) fill(error, [error.textContent, ...placed(sentences, input, name, place)].filter(Boolean).join(' '));
    return [];
  });
}

/** An error inside a long text is prefixed with its path: `properties.when.pattern: …`. */
function placed(sentences: readonly string[], input: Element, name: string, place: HTMLElement): readonly string[] {
  const inside = name.slice((place.dataset['field'] ?? '').length + 1);
  if (!(input instanceof HTMLTextAreaElement) || inside === '') return sentences;
  return sentences.map((sentence) => `${inside}: ${sentence}`);
}

/** `to_number.0` is about `to_number` when there is no field of its own for it. */
function fieldOf(element: HTMLElement, name: string): HTMLElement | null {
  for (let path = name; path !== ''; path = path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : '') {
    const found = element.querySelector<HTMLElement>(`[data-field="${CSS.escape(path)}"]`);
    if (found) return found;
  }
  return null;
}

export const option = (value: string | number, label: string, selected = false): HTMLOptionElement =>
  h('option', { value, selected }, label);
