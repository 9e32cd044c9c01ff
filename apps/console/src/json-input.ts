import type { ApiError } from './api.js';
import { type Child, fill, h } from './dom.js';
import { field } from './forms.js';
import { readObject, tidy } from './json-text.js';

/** Sentences by field, as the API answers them. */
export type FieldErrors = Record<string, ApiError['errors'][string]>;

interface JsonField {
  /** As the API calls it. */
  name: string;
  label: string;
  hint?: Child;
  rows: number;
  value: object | null;
  placeholder?: string;
  /** Says what the object means; undefined when nothing has to be said. */
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

  /** The object as it stands there; undefined while it is none. */
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
