import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { Agent, PhoneNumber } from '../../api/types.js';
import { Choice, Field } from '../../components/forms.js';
import { NumberInput } from '../../components/number-input.js';
import { TimeZoneInput } from '../../components/time-zone.js';
import { OFFICE_HOURS, WeeklyWindows } from '../../components/weekly-windows.js';

interface FrontParts {
  number: PhoneNumber;
  agents: readonly Agent[];
}

/** When calls are answered, what callers hear otherwise, and the queue. */
export function NumberFront({ number, agents }: FrontParts): VNode {
  return (
    <>
      <HoursFields number={number} agents={agents} />
      <QueueFields number={number} />
    </>
  );
}

const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

function HoursFields({ number, agents }: FrontParts): VNode {
  const { hours } = number;
  const isLimited = useSignal(hours !== null);
  return (
    <>
      <Field name="hours" label="Limit to business hours">
        <input
          type="checkbox"
          checked={isLimited.value}
          onChange={(event) => (isLimited.value = event.currentTarget.checked)}
        />
      </Field>
      {isLimited.value && (
        <fieldset class="stack">
          <legend>Business hours</legend>
          <Field name="hours.time_zone" label="Time zone">
            <TimeZoneInput name="time_zone" defaultValue={hours?.time_zone ?? browserZone()} />
          </Field>
          <WeeklyWindows
            name="hours.windows"
            label="Open"
            windows={hours?.windows ?? [OFFICE_HOURS]}
            always="Any time, except on the dates below."
          />
          <Field name="hours.excluded_dates" label="Closed dates" hint="Dates such as 2026-12-25, separated by spaces.">
            <textarea name="excluded_dates" rows={2} defaultValue={hours?.excluded_dates.join(' ') ?? ''} />
          </Field>
          <ClosedFields number={number} agents={agents} />
        </fieldset>
      )}
    </>
  );
}

/** What happens outside the hours. */
function ClosedFields({ number: { closed }, agents }: FrontParts): VNode {
  const action = useSignal<string>(closed?.action ?? 'say_and_hang_up');
  return (
    <>
      <Field name="closed.action" label="Outside business hours">
        <Choice
          name="closed_action"
          options={[
            ['say_and_hang_up', 'Play a message and hang up'],
            ['reject', 'Reject the call'],
            ['agent', 'Route to another agent'],
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
        label="Message language"
        hint="Such as en or de-DE."
        hidden={action.value !== 'say_and_hang_up'}
      >
        <input name="closed_language" defaultValue={closed?.language ?? ''} autocomplete="off" />
      </Field>
      <Field name="closed.agent_id" label="Agent" hidden={action.value !== 'agent'}>
        <Choice
          name="closed_agent"
          options={[['', 'Select an agent'], ...agents.map(({ id, name }) => [id, name] as const)]}
          selected={closed?.agent_id ?? ''}
        />
      </Field>
    </>
  );
}

function QueueFields({ number: { queue } }: { number: PhoneNumber }): VNode {
  const isOn = useSignal(queue?.enabled ?? false);
  return (
    <>
      <Field name="queue" label="Queue callers when all lines are busy">
        <input type="checkbox" checked={isOn.value} onChange={(event) => (isOn.value = event.currentTarget.checked)} />
      </Field>
      {isOn.value && (
        <fieldset class="stack">
          <legend>Queue</legend>
          <Field name="queue.max_waiting" label="Maximum queue length">
            <input name="max_waiting" inputMode="numeric" defaultValue={queue?.max_waiting ?? 20} />
          </Field>
          <Field name="queue.max_wait_seconds" label="Maximum wait (seconds)">
            <input name="max_wait_seconds" inputMode="numeric" defaultValue={queue?.max_wait_seconds ?? 300} />
          </Field>
          <Field name="queue.announce.position" label="Announce queue position">
            <input name="announce" type="checkbox" defaultChecked={queue?.announce.position ?? true} />
          </Field>
          <Field name="queue.announce.every_seconds" label="Announcement interval (seconds)">
            <input name="every_seconds" inputMode="numeric" defaultValue={queue?.announce.every_seconds ?? 30} />
          </Field>
          <Field
            name="queue.announce.message"
            label="Announcement"
            hint="Leave empty for the default in English or German."
          >
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
          <TimeoutFields timeout={queue?.on_timeout} />
          <Field name="queue.music" label="Hold music">
            <input name="music" type="checkbox" defaultChecked={queue?.music ?? true} />
          </Field>
        </fieldset>
      )}
    </>
  );
}

function TimeoutFields({ timeout }: { timeout: NonNullable<PhoneNumber['queue']>['on_timeout'] | undefined }): VNode {
  return (
    <>
      <Field
        name="queue.on_timeout.to_number"
        label="Overflow number"
        hint="Callers are transferred here after the maximum wait. Leave empty to end the call."
      >
        <NumberInput name="timeout_number" defaultValue={timeout?.to_number ?? ''} placeholder="+15550002222" />
      </Field>
      <Field
        name="queue.on_timeout.message"
        label="Overflow message"
        hint="Spoken after the maximum wait, before the call ends."
      >
        <input name="timeout_message" defaultValue={timeout?.message ?? ''} autocomplete="off" />
      </Field>
    </>
  );
}
