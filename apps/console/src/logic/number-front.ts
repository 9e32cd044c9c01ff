import { numberOf, textOf } from '../components/forms.js';
import { windowsOf } from '../components/weekly-windows.js';

/** The hours, closed action and queue of the form; null: the number has none. */
export function frontOf(values: FormData) {
  const has = (name: string): boolean => values.get(name) !== null;
  return {
    hours: has('hours') ? hoursOf(values) : null,
    closed: has('hours') ? closedOf(values) : null,
    queue: has('queue') ? queueOf(values) : null,
  };
}

const hoursOf = (values: FormData) => ({
  time_zone: textOf(values, 'time_zone'),
  windows: windowsOf(values, 'hours.windows'),
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

const timeoutOf = (number: string, message: string) => ({
  action: number === '' ? 'hang_up' : 'transfer',
  to_number: number || null,
  message: message || null,
});

const queueOf = (values: FormData) => ({
  max_waiting: numberOf(values, 'max_waiting'),
  max_wait_seconds: numberOf(values, 'max_wait_seconds'),
  announce: {
    position: values.get('announce') !== null,
    every_seconds: numberOf(values, 'every_seconds'),
    message: textOf(values, 'announce_message') || null,
    language: textOf(values, 'announce_language') || null,
  },
  on_timeout: timeoutOf(textOf(values, 'timeout_number'), textOf(values, 'timeout_message')),
  music: values.get('music') !== null,
});
