import type { VNode } from 'preact';
import type { Campaign } from '../../api/types.js';
import { Field, textOf } from '../../components/forms.js';
import { TimeZoneInput } from '../../components/time-zone.js';
import { OFFICE_HOURS, WeeklyWindows, windowsOf } from '../../components/weekly-windows.js';

const CALLING_HOURS = { ...OFFICE_HOURS, to: '18:00' };

/** When the contacts of a campaign are called. */
export function Schedule({ schedule }: { schedule: Campaign['schedule'] | undefined }): VNode {
  const own = schedule?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <div class="card stack">
      <h2>Calling hours</h2>
      <p class="hint">
        Times apply in the contact's time zone: the one given with the contact, else that of its number, else the
        default below.
      </p>
      <WeeklyWindows
        name="schedule.windows"
        label="Time windows"
        windows={schedule?.windows ?? [CALLING_HOURS]}
        usual={CALLING_HOURS}
        always="Any time."
      />
      <div class="pair">
        <Field name="schedule.time_zone" label="Default time zone">
          <TimeZoneInput defaultValue={own} />
        </Field>
        <Field name="schedule.excluded_dates" label="Excluded dates" hint="Comma-separated.">
          <input defaultValue={schedule?.excluded_dates.join(', ') ?? ''} placeholder="2026-12-25, 2027-01-01" />
        </Field>
      </div>
      <div class="pair">
        <Field name="schedule.start_at" label="Start">
          <input type="datetime-local" defaultValue={localInput(schedule?.start_at)} />
        </Field>
        <Field name="schedule.end_at" label="End">
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
    windows: windowsOf(values, 'schedule.windows'),
    excluded_dates: dates === '' ? [] : dates.split(/[\s,]+/),
    start_at: moment('schedule.start_at'),
    end_at: moment('schedule.end_at'),
  };
}
