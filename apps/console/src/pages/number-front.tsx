import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { Agent, PhoneNumber } from '../api/types.js';
import { Choice, Field, useErrors } from '../components/forms.js';
import { DAYS, NEW_WINDOW, type Weekday, type WindowRow } from '../logic/number-front.js';

interface FrontParts {
  number: PhoneNumber;
  agents: readonly Agent[];
  rows: Signal<readonly WindowRow[]>;
}

/** When calls are answered, what callers hear otherwise, and the queue. */
export function NumberFront({ number, agents, rows }: FrontParts): VNode {
  return (
    <>
      <HoursFields number={number} agents={agents} rows={rows} />
      <QueueFields number={number} />
    </>
  );
}

const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

function HoursFields({ number, agents, rows }: FrontParts): VNode {
  const { hours } = number;
  const isLimited = useSignal(hours !== null);
  const toggle = (isOn: boolean): void => {
    isLimited.value = isOn;
    if (isOn && rows.value.length === 0 && !hours) rows.value = [{ ...NEW_WINDOW, key: 0 }];
  };
  return (
    <>
      <Field name="hours" label="Business hours: the agent answers only at certain times">
        <input type="checkbox" checked={isLimited.value} onChange={(event) => toggle(event.currentTarget.checked)} />
      </Field>
      {isLimited.value && (
        <fieldset class="stack">
          <legend>Business hours</legend>
          <Field name="hours.time_zone" label="Time zone">
            <input name="time_zone" defaultValue={hours?.time_zone ?? browserZone()} autocomplete="off" />
          </Field>
          <Windows rows={rows} />
          <Field name="hours.excluded_dates" label="Closed on" hint="Dates such as 2026-12-25, separated by spaces.">
            <textarea name="excluded_dates" rows={2} defaultValue={hours?.excluded_dates.join(' ') ?? ''} />
          </Field>
          <ClosedFields number={number} agents={agents} />
        </fieldset>
      )}
    </>
  );
}

/** What happens outside the hours. */
function ClosedFields({ number: { closed }, agents }: Omit<FrontParts, 'rows'>): VNode {
  const action = useSignal<string>(closed?.action ?? 'say_and_hang_up');
  return (
    <>
      <Field name="closed.action" label="Outside these hours">
        <Choice
          name="closed_action"
          options={[
            ['say_and_hang_up', 'Speak a message and hang up'],
            ['reject', 'Reject the call'],
            ['agent', 'Another agent answers'],
          ]}
          selected={action.value}
          onChange={(value) => (action.value = value)}
        />
      </Field>
      <Field name="closed.message" label="Message" hidden={action.value !== 'say_and_hang_up'}>
        <textarea name="closed_message" rows={2} maxLength={1_000} defaultValue={closed?.message ?? ''} />
      </Field>
      <Field
        name="closed.language"
        label="Language of the message"
        hint="Such as en or de-DE."
        hidden={action.value !== 'say_and_hang_up'}
      >
        <input name="closed_language" defaultValue={closed?.language ?? ''} autocomplete="off" />
      </Field>
      <Field name="closed.agent_id" label="Agent" hidden={action.value !== 'agent'}>
        <Choice
          name="closed_agent"
          options={[['', 'Choose an agent'], ...agents.map(({ id, name }) => [id, name] as const)]}
          selected={closed?.agent_id ?? ''}
        />
      </Field>
    </>
  );
}

/** The windows of the hours, one row each. */
function Windows({ rows }: { rows: Signal<readonly WindowRow[]> }): VNode {
  const place = useRef<HTMLDivElement>(null);
  const error = useErrors('hours.windows');
  const change = (key: number, part: Partial<WindowRow>): void => {
    rows.value = rows.value.map((row) => (row.key === key ? { ...row, ...part } : row));
  };
  const append = (): void => {
    const key = Math.max(-1, ...rows.value.map((row) => row.key)) + 1;
    rows.value = [...rows.value, { ...NEW_WINDOW, key }];
  };
  const remove = (key: number): void => {
    rows.value = rows.value.filter((row) => row.key !== key);
    // Preact renders in a microtask; this one runs after it.
    queueMicrotask(() => place.current?.querySelector<HTMLElement>('[data-act=add-window]')?.focus());
  };
  return (
    <div ref={place} class="field" data-field="hours.windows" role="group" aria-label="Open">
      <span class="label">Open</span>
      <p class="field-error">{error}</p>
      <ul class="plain stack">
        {rows.value.map((row, index) => (
          <WindowFields
            key={row.key}
            row={row}
            index={index}
            change={(part) => change(row.key, part)}
            onRemove={() => remove(row.key)}
          />
        ))}
      </ul>
      {rows.value.length === 0 && <p class="hint">At any time, except on the dates below.</p>}
      <div class="chips">
        <button type="button" class="chip" onClick={append} data-act="add-window">
          Add times
        </button>
      </div>
    </div>
  );
}

interface WindowParts {
  row: WindowRow;
  index: number;
  change: (part: Partial<WindowRow>) => void;
  onRemove: () => void;
}

function WindowFields({ row, index, change, onRemove }: WindowParts): VNode {
  const error = useErrors(`hours.windows.${index}`);
  const choose = (day: Weekday, isChosen: boolean): void =>
    change({ days: DAYS.map(([one]) => one).filter((one) => (one === day ? isChosen : row.days.includes(one))) });
  const time = (end: 'from' | 'to', label: string): VNode => (
    <input
      class="time"
      value={row[end]}
      onInput={(event) => change({ [end]: event.currentTarget.value })}
      aria-label={label}
      placeholder={end === 'from' ? '09:00' : '17:00'}
      autocomplete="off"
      aria-invalid={error !== '' ? 'true' : undefined}
    />
  );
  return (
    <li class="window-row" data-field={`hours.windows.${index}`}>
      <span class="window-days">
        {DAYS.map(([day, label]) => (
          <label key={day} class="check">
            <input
              type="checkbox"
              checked={row.days.includes(day)}
              onChange={(event) => choose(day, event.currentTarget.checked)}
            />
            {label}
          </label>
        ))}
      </span>
      <span class="window-times">
        {time('from', 'Opens at')}
        <span aria-hidden="true">to</span>
        {time('to', 'Closes at')}
        <button type="button" class="quiet" onClick={onRemove} aria-label={`Remove times ${index + 1}`}>
          Remove
        </button>
      </span>
      <p class="field-error">{error}</p>
    </li>
  );
}

function QueueFields({ number: { queue } }: { number: PhoneNumber }): VNode {
  const isOn = useSignal(queue?.enabled ?? false);
  return (
    <>
      <Field name="queue" label="Queue: callers wait when all places are taken">
        <input type="checkbox" checked={isOn.value} onChange={(event) => (isOn.value = event.currentTarget.checked)} />
      </Field>
      {isOn.value && (
        <fieldset class="stack">
          <legend>Queue</legend>
          <Field name="queue.max_waiting" label="Waiting callers at most">
            <input name="max_waiting" inputMode="numeric" defaultValue={queue?.max_waiting ?? 20} />
          </Field>
          <Field name="queue.max_wait_seconds" label="Longest wait in seconds">
            <input name="max_wait_seconds" inputMode="numeric" defaultValue={queue?.max_wait_seconds ?? 300} />
          </Field>
          <Field name="queue.announce.position" label="Callers hear their position">
            <input name="announce" type="checkbox" defaultChecked={queue?.announce.position ?? true} />
          </Field>
          <Field name="queue.announce.every_seconds" label="Seconds between announcements">
            <input name="every_seconds" inputMode="numeric" defaultValue={queue?.announce.every_seconds ?? 30} />
          </Field>
          <Field name="queue.announce.message" label="Announcement" hint="Empty: a sentence in English or German.">
            <input
              name="announce_message"
              defaultValue={queue?.announce.message ?? ''}
              placeholder="You are number {{position}} in line."
              autocomplete="off"
            />
          </Field>
          <Field name="queue.announce.language" label="Language" hint="Such as en or de-DE.">
            <input name="announce_language" defaultValue={queue?.announce.language ?? ''} autocomplete="off" />
          </Field>
          <Field name="queue.on_timeout.message" label="Message after the longest wait" hint="Empty: none.">
            <input name="timeout_message" defaultValue={queue?.on_timeout.message ?? ''} autocomplete="off" />
          </Field>
          <Field name="queue.music" label="Music while waiting">
            <input name="music" type="checkbox" defaultChecked={queue?.music ?? true} />
          </Field>
        </fieldset>
      )}
    </>
  );
}
