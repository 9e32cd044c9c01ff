import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { Campaign } from '../api/types.js';
import { words } from '../logic/format.js';
import { textsOf, useErrors } from './forms.js';
import { useEditedPart } from './unsaved-edits.js';
import { nextKey } from '../logic/form-or-json.js';

type WeeklyWindow = Campaign['schedule']['windows'][number];

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

export const OFFICE_HOURS: WeeklyWindow = { days: DAYS.slice(0, 5), from: '09:00', to: '17:00' };

interface WindowsParts {
  /** Field name in the API's `errors`, and the beginning of the names of the inputs. */
  name: string;
  label: string;
  windows: readonly WeeklyWindow[];
  /** A new row. */
  usual?: WeeklyWindow;
  /** The meaning of no window. */
  always: string;
}

/** Times of the week, one row per window. */
export function WeeklyWindows({ name, label, windows, usual = OFFICE_HOURS, always }: WindowsParts): VNode {
  const place = useRef<HTMLDivElement>(null);
  const rows = useSignal(windows.map((window, key) => ({ key, window })));
  useEditedPart(`${name}.rows`, rows);
  const error = useErrors(name);
  const append = (): void => void (rows.value = [...rows.value, { key: nextKey(rows.value), window: usual }]);
  const remove = (key: number): void => {
    rows.value = rows.value.filter((row) => row.key !== key);
    // Preact renders in a microtask; this one runs after it.
    queueMicrotask(() => place.current?.querySelector<HTMLElement>('[data-act=add-window]')?.focus());
  };
  return (
    <div ref={place} class="field" data-field={name} role="group" aria-label={label}>
      <span class="label">{label}</span>
      <p class="field-error">{error}</p>
      <ul class="plain stack">
        {rows.value.map(({ key, window }, index) => (
          <WindowRow key={key} id={key} name={name} index={index} window={window} onRemove={() => remove(key)} />
        ))}
      </ul>
      {rows.value.length === 0 && <p class="hint">{always}</p>}
      <div class="chips">
        <button type="button" class="chip" onClick={append} data-act="add-window">
          Add time window
        </button>
      </div>
    </div>
  );
}

interface RowParts {
  id: number;
  name: string;
  index: number;
  window: WeeklyWindow;
  onRemove: () => void;
}

function WindowRow({ id, name, index, window, onRemove }: RowParts): VNode {
  const error = useErrors(`${name}.${index}`);
  // Text, because a browser's field for times has no 24:00.
  const time = (end: 'from' | 'to', label: string): VNode => (
    <input
      class="time"
      name={`${name}.${end}`}
      defaultValue={window[end]}
      aria-label={label}
      placeholder={OFFICE_HOURS[end]}
      autocomplete="off"
      aria-invalid={error !== '' ? 'true' : undefined}
    />
  );
  return (
    <li class="window-row" data-field={`${name}.${index}`}>
      <input type="hidden" name={`${name}.key`} value={id} />
      <span class="window-days">
        {DAYS.map((day) => (
          <label key={day} class="check">
            <input
              type="checkbox"
              name={`${name}.days.${id}`}
              value={day}
              defaultChecked={window.days.includes(day)}
              aria-label={words(day)}
            />
            {words(day).slice(0, 3)}
          </label>
        ))}
      </span>
      <span class="window-times">
        {time('from', 'From')}
        <span aria-hidden="true">to</span>
        {time('to', 'To')}
        <button type="button" class="quiet" onClick={onRemove} aria-label={`Remove time window ${index + 1}`}>
          Remove
        </button>
      </span>
      <p class="field-error">{error}</p>
    </li>
  );
}

/** The windows of the form. */
export function windowsOf(values: FormData, name: string): WeeklyWindow[] {
  const ends = textsOf(values, `${name}.to`);
  const keys = textsOf(values, `${name}.key`);
  return textsOf(values, `${name}.from`).map((from, index) => ({
    days: values.getAll(`${name}.days.${keys[index]}`) as WeeklyWindow['days'],
    from,
    to: ends[index] ?? '',
  }));
}
