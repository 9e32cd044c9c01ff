import type { PhoneNumber } from '../api/types.js';
import { numberOf, textOf } from '../components/forms.js';

type StoredHours = NonNullable<PhoneNumber['hours']>;
type Window = StoredHours['windows'][number];
export type Weekday = Window['days'][number];

export const DAYS: readonly (readonly [day: Weekday, label: string])[] = [
  ['monday', 'Mon'],
  ['tuesday', 'Tue'],
  ['wednesday', 'Wed'],
  ['thursday', 'Thu'],
  ['friday', 'Fri'],
  ['saturday', 'Sat'],
  ['sunday', 'Sun'],
];

/** A window in the editor; the key stays while others are removed. */
export type WindowRow = Window & { key: number };

export const NEW_WINDOW: Window = {
  days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
  from: '09:00',
  to: '17:00',
};

/** The hours, closed action and queue of the form; null: the number has none. */
export function frontOf(values: FormData, rows: readonly WindowRow[]) {
  const has = (name: string): boolean => values.get(name) !== null;
  return {
    hours: has('hours') ? hoursOf(values, rows) : null,
    closed: has('hours') ? closedOf(values) : null,
    queue: has('queue') ? queueOf(values) : null,
  };
}

const hoursOf = (values: FormData, rows: readonly WindowRow[]) => ({
  time_zone: textOf(values, 'time_zone'),
  windows: rows.map(({ key: _key, ...window }) => window),
  excluded_dates: textOf(values, 'excluded_dates')
    .split(/[\s,]+/)
    .filter((date) => date !== ''),
});

const closedOf = (values: FormData) => {
  const action = textOf(values, 'closed_action');
  return {
    action,
    message: action === 'say_and_hang_up' ? textOf(values, 'closed_message') : null,
    language: textOf(values, 'closed_language') || null,
    agent_id: action === 'agent' ? (numberOf(values, 'closed_agent') ?? null) : null,
  };
};

const queueOf = (values: FormData) => ({
  max_waiting: numberOf(values, 'max_waiting'),
  max_wait_seconds: numberOf(values, 'max_wait_seconds'),
  announce: {
    position: values.get('announce') !== null,
    every_seconds: numberOf(values, 'every_seconds'),
    message: textOf(values, 'announce_message') || null,
    language: textOf(values, 'announce_language') || null,
  },
  on_timeout: { message: textOf(values, 'timeout_message') || null },
  music: values.get('music') !== null,
});
