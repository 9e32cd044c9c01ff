import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { Campaign } from '../api/types.js';
import { Field, textOf, textsOf, useErrors } from '../components/forms.js';
import { words } from '../logic/format.js';

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
type Window = Campaign['schedule']['windows'][number];

const OFFICE: Window = { days: DAYS.slice(0, 5), from: '09:00', to: '18:00' };

/** When the contacts of a campaign are called. */
export function Schedule({ schedule }: { schedule: Campaign['schedule'] | undefined }): VNode {
  const zones = useRef(Intl.supportedValuesOf('timeZone')).current;
  const own = schedule?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <div class="card stack">
      <h2>When contacts are called</h2>
      <p class="hint">In the time zone of the contact: its own, else that of its number, else the one below.</p>
      <Windows windows={schedule?.windows ?? [OFFICE]} />
      <div class="pair">
        <Field name="schedule.time_zone" label="Time zone">
          <input list="time-zones" defaultValue={own} autocomplete="off" />
        </Field>
        <Field name="schedule.excluded_dates" label="Days without calls" hint="Separated by commas.">
          <input defaultValue={schedule?.excluded_dates.join(', ') ?? ''} placeholder="2026-12-25, 2027-01-01" />
        </Field>
      </div>
      <datalist id="time-zones">
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <div class="pair">
        <Field name="schedule.start_at" label="Not before">
          <input type="datetime-local" defaultValue={localInput(schedule?.start_at)} />
        </Field>
        <Field name="schedule.end_at" label="Not after">
          <input type="datetime-local" defaultValue={localInput(schedule?.end_at)} />
        </Field>
      </div>
    </div>
  );
}

/** A moment as an input of the browser's time zone. */
function localInput(iso: string | null | undefined): string {
  if (!iso) return '';
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The schedule as the API reads it. */
export function scheduleOf(values: FormData) {
  const moment = (name: string): string | null => {
    const text = textOf(values, name);
    return text === '' ? null : new Date(text).toISOString();
  };
  const dates = textOf(values, 'schedule.excluded_dates');
  return {
    time_zone: textOf(values, 'schedule.time_zone'),
    windows: windowsOf(values),
    excluded_dates: dates === '' ? [] : dates.split(/[\s,]+/),
    start_at: moment('schedule.start_at'),
    end_at: moment('schedule.end_at'),
  };
}

function windowsOf(values: FormData): Window[] {
  const ends = textsOf(values, 'window.to');
  const keys = textsOf(values, 'window.key');
  return textsOf(values, 'window.from').map((from, index) => ({
    days: values.getAll(`window.days.${keys[index]}`) as Window['days'],
    from,
    // A browser's field for times has no 24:00.
    to: ends[index] === '23:59' ? '24:00' : (ends[index] ?? ''),
  }));
}

/** Local times of weekdays; without any the contacts are called at all times. */
function Windows({ windows }: { windows: readonly Window[] }): VNode {
  const rows = useSignal(windows.map((window, key) => ({ key, window })));
  const next = useRef(rows.value.length);
  const error = useErrors('schedule.windows');
  const append = (): void => void (rows.value = [...rows.value, { key: next.current++, window: OFFICE }]);
  return (
    <div class="field" data-field="schedule.windows" role="group" aria-label="Windows">
      <ul class="plain stack">
        {rows.value.map(({ key, window }, index) => (
          <WindowRow
            key={key}
            id={key}
            index={index}
            window={window}
            onRemove={() => (rows.value = rows.value.filter((row) => row.key !== key))}
          />
        ))}
      </ul>
      {rows.value.length === 0 && <p class="hint">At all times.</p>}
      <p class="field-error">{error}</p>
      <div class="chips">
        <button type="button" class="chip" onClick={append}>
          Add a window
        </button>
      </div>
    </div>
  );
}

interface WindowRowParts {
  id: number;
  index: number;
  window: Window;
  onRemove: () => void;
}

function WindowRow({ id, index, window, onRemove }: WindowRowParts): VNode {
  const error = useErrors(`schedule.windows.${index}`);
  return (
    <li class="window-row" data-field={`schedule.windows.${index}`}>
      <input type="hidden" name="window.key" value={id} />
      <div class="window-days">
        {DAYS.map((day) => (
          <label key={day} class="check-line">
            <input
              type="checkbox"
              name={`window.days.${id}`}
              value={day}
              defaultChecked={window.days.includes(day)}
              aria-label={words(day)}
            />
            {words(day).slice(0, 2)}
          </label>
        ))}
      </div>
      <input type="time" name="window.from" aria-label="From" defaultValue={window.from} />
      <input type="time" name="window.to" aria-label="To" defaultValue={window.to === '24:00' ? '23:59' : window.to} />
      <button type="button" class="quiet" aria-label="Remove the window" onClick={onRemove}>
        Remove
      </button>
      <p class="field-error">{error}</p>
    </li>
  );
}
