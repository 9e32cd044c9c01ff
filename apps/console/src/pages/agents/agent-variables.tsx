import type { Signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { useErrors } from '../../components/forms.js';
import { useEditedPart } from '../../components/unsaved-edits.js';
import { type VariableRow, withVariable } from '../../logic/agent-body.js';

/** The variables that the agent declares: each call gives them values. */
export function VariableTable({ rows }: { rows: Signal<readonly VariableRow[]> }): VNode {
  const place = useRef<HTMLDivElement>(null);
  useEditedPart('variables.rows', rows);
  const error = useErrors('variables');
  const change = (key: number, part: Partial<VariableRow>): void => {
    rows.value = rows.value.map((row) => (row.key === key ? { ...row, ...part } : row));
  };
  // Preact renders in a microtask; these run after it.
  const append = (): void => {
    rows.value = withVariable(rows.value);
    queueMicrotask(() => place.current?.querySelector<HTMLElement>('li:last-child input')?.focus());
  };
  const remove = (key: number): void => {
    rows.value = rows.value.filter((row) => row.key !== key);
    queueMicrotask(() => place.current?.querySelector<HTMLElement>('.chip')?.focus());
  };
  return (
    <div ref={place} class="field" data-field="variables" role="group" aria-label="Variables">
      <span class="label">Variables</span>
      <p class="field-error">{error}</p>
      <ul class="plain stack">
        {rows.value.map((row, index) => (
          <VariableFields
            key={row.key}
            row={row}
            index={index}
            change={(part) => change(row.key, part)}
            onRemove={() => remove(row.key)}
          />
        ))}
      </ul>
      <div class="chips">
        <button type="button" class="chip" onClick={append} data-act="add-variable">
          Add variable
        </button>
      </div>
    </div>
  );
}

interface FieldsParts {
  row: VariableRow;
  index: number;
  change: (part: Partial<VariableRow>) => void;
  onRemove: () => void;
}

function VariableFields({ row, index, change, onRemove }: FieldsParts): VNode {
  const error = useErrors(`variables.${index}`);
  const input = (name: 'name' | 'default' | 'description', label: string, placeholder: string): VNode => (
    <input
      value={row[name]}
      onInput={(event) => change({ [name]: event.currentTarget.value })}
      aria-label={label}
      placeholder={placeholder}
      autocomplete="off"
      spellcheck={name === 'description'}
      aria-invalid={name === 'name' && error !== '' ? 'true' : undefined}
    />
  );
  return (
    <li class="variable-row" data-field={`variables.${index}`}>
      {input('name', 'Variable name', 'customer_name')}
      {input('default', 'Default', 'Default')}
      {input('description', 'Description', 'Description')}
      <label class="check">
        <input
          type="checkbox"
          checked={row.isRequired}
          onChange={(event) => change({ isRequired: event.currentTarget.checked })}
        />
        Required
      </label>
      <button type="button" class="quiet" aria-label={`Remove ${row.name || 'the variable'}`} onClick={onRemove}>
        Remove
      </button>
      <p class="field-error">{error}</p>
    </li>
  );
}
