import type { ComponentChildren, VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { nextKey } from '../logic/form-or-json.js';
import { Field, useErrors } from './forms.js';

interface RowListParts<Row extends { key: number }> {
  /** Field name in the API of the list. */
  name: string;
  label: string;
  /** A heading above says the same. */
  isLabelUnseen?: boolean;
  /** "destination": names the buttons. */
  what: string;
  rows: readonly Row[];
  max: number;
  create: (key: number) => Row;
  onChange: (rows: readonly Row[]) => void;
  /** Field name of a row; that of its index if absent. */
  nameOf?: (row: Row, index: number) => string;
  /** The fields of a row. */
  children: (row: Row, index: number, change: (changes: Partial<Row>) => void) => ComponentChildren;
}

/** A list of rows, each with fields of its own, that can be added, moved up and removed. The focus follows. */
export function RowList<Row extends { key: number }>(parts: RowListParts<Row>): VNode {
  const {
    name,
    label,
    isLabelUnseen = false,
    what,
    rows,
    max,
    create,
    onChange,
    children,
    nameOf = (_row, index) => `${name}.${index}`,
  } = parts;
  const place = useRef<HTMLDivElement>(null);
  const error = useErrors(name);
  // Preact renders in a microtask; this one runs after it.
  const focus = (selector: string): void =>
    queueMicrotask(() => place.current?.querySelector<HTMLElement>(selector)?.focus());
  const append = (): void => {
    onChange([...rows, create(nextKey(rows))]);
    focus(':scope > ol > li:last-child input');
  };
  const remove = (row: Row): void => {
    onChange(rows.filter((other) => other !== row));
    focus(':scope > .chips > .chip');
  };
  const moveUp = (index: number): void => {
    const [row, before] = [rows[index], rows[index - 1]];
    if (!row || !before) return;
    onChange([...rows.slice(0, index - 1), row, before, ...rows.slice(index + 1)]);
    focus(`:scope > ol > li:nth-child(${index}) input`);
  };
  return (
    <div ref={place} class="field row-list" data-field={name} role="group" aria-label={label}>
      {!isLabelUnseen && <span class="label">{label}</span>}
      <p class="field-error">{error}</p>
      <ol class="plain stack">
        {rows.map((row, index) => (
          <Item
            key={row.key}
            name={nameOf(row, index)}
            what={`${what} ${index + 1}`}
            onUp={index > 0 ? () => moveUp(index) : undefined}
            onRemove={() => remove(row)}
          >
            {children(row, index, (changes) =>
              onChange(rows.map((other) => (other === row ? { ...row, ...changes } : other))),
            )}
          </Item>
        ))}
      </ol>
      <div class="chips">
        <button type="button" class="chip" disabled={rows.length >= max} onClick={append} data-act={`add-${what}`}>
          Add {what}
        </button>
      </div>
    </div>
  );
}

interface ItemParts {
  name: string;
  what: string;
  onUp: (() => void) | undefined;
  onRemove: () => void;
  children: ComponentChildren;
}

function Item({ name, what, onUp, onRemove, children }: ItemParts): VNode {
  const error = useErrors(name);
  return (
    <li class="card tight row-of-list" data-field={name}>
      <div class="stack" role="group" aria-label={what}>
        {children}
        <p class="field-error">{error}</p>
        <div class="actions">
          {onUp && (
            <button type="button" class="quiet" aria-label={`Move up ${what}`} onClick={onUp}>
              Move up
            </button>
          )}
          <button type="button" class="quiet" aria-label={`Remove ${what}`} onClick={onRemove}>
            Remove
          </button>
        </div>
      </div>
    </li>
  );
}

interface RowTextParts {
  /** Field name in the API, for errors. */
  name: string;
  label: string;
  value: string;
  onInput: (value: string) => void;
  hint?: string;
  placeholder?: string;
  inputMode?: 'numeric' | 'tel' | 'text';
  /** Lines of a text field. */
  lines?: number;
  /** Name of the input, where it differs from that of the field. */
  input?: string;
}

/** A text field of a row, whose value the state of the form holds. */
export function RowText(parts: RowTextParts): VNode {
  const { name, label, value, onInput, hint, placeholder, inputMode, lines, input = name } = parts;
  const shared = {
    name: input,
    value,
    placeholder,
    autocomplete: 'off',
    onInput: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => onInput(event.currentTarget.value),
  };
  return (
    <Field name={name} label={label} hint={hint}>
      {lines === undefined ? <input {...shared} inputMode={inputMode} /> : <textarea {...shared} rows={lines} />}
    </Field>
  );
}
