import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { ask } from '../../api/client.js';
import { may } from '../../api/me.js';
import { apiPath } from '../../api/path.js';
import { agentsOf, numbersOf, sandboxPhone, trunksOf } from '../../api/records.js';
import type { Agent, Call, NewCall, PhoneNumber, Scope, Trunk, WholeAgent } from '../../api/types.js';
import { WarningsOfAgent } from '../../components/agent-warnings.js';
import { Chips, Choice, Field, Form, numberOf, textOf, useErrors } from '../../components/forms.js';
import { Icon } from '../../components/icons.js';
import { Loaded, type Read, useRead } from '../../components/lists.js';
import { useMedia } from '../../components/media.js';
import { NumberInput } from '../../components/number-input.js';
import { May } from '../../components/permissions.js';
import { TimeZoneInput } from '../../components/time-zone.js';
import { useDeclared, VariableFields, variablesIn } from '../../components/variable-fields.js';

/** The sandbox phone's extensions and their behaviour. */
const BEHAVIOURS = [
  ['answer', 'Answers'],
  ['press_8', 'Presses 8'],
  ['dtmf_menu', 'Menu'],
  ['voicemail', 'Voicemail'],
  ['busy', 'Busy'],
  ['no_answer', 'No answer'],
  ['reject', 'Declines'],
] as const;

interface Choices {
  agents: Agent[];
  numbers: PhoneNumber[];
  trunks: Trunk[];
}

async function load(signal: AbortSignal): Promise<Choices> {
  const [agents, numbers, trunks] = await Promise.all([agentsOf(signal), numbersOf(signal), trunksOf(signal)]);
  const active = <T extends { active: boolean }>(all: T[]): T[] => all.filter((one) => one.active);
  return { agents: active(agents), numbers: active(numbers), trunks: active(trunks) };
}

/** The active records with which a session can place calls. */
export const useCallChoices = (): Read<Choices> => useRead('choices', load);

/** Places a call and goes to its page. */
export function DialBox(): VNode {
  // On narrow screens the list comes first, and the box is collapsed to one line.
  const isWide = useMedia('(width >= 60rem)');
  return (
    <details class="card dial" open={isWide}>
      <summary>
        <h2>
          <Icon name="phone" />
          Place a call
        </h2>
      </summary>
      <May scope="calls:write" says>
        <May scope="agents:read" says>
          <May scope="numbers:read" says>
            <Dial />
          </May>
        </May>
      </May>
    </details>
  );
}

function Dial(): VNode {
  const choices = useCallChoices();
  return (
    <Loaded of={choices} what="agents and numbers">
      {(all) => (all.agents.length > 0 && all.numbers.length > 0 ? <DialForm {...all} /> : <FirstSteps {...all} />)}
    </Loaded>
  );
}

/** What an account needs before it can call. */
const FirstSteps = ({ agents, numbers, trunks }: Choices): VNode => (
  <div class="stack first-steps">
    <p class="muted">Before the first call:</p>
    <ol>
      <FirstStep scope="agents:write" isDone={agents.length > 0} href="#/agents/new" label="Create an agent" />
      <FirstStep scope="numbers:write" isDone={numbers.length > 0} href="#/numbers" label="Add a number to call from" />
      <FirstStep
        scope="trunks:write"
        isDone={trunks.length > 0}
        href="#/trunks/new"
        label="Add a trunk, to call phone numbers"
      />
    </ol>
  </div>
);

/** The same on a page without the form. */
export function FirstStepsHere(): VNode {
  const choices = useCallChoices();
  return (
    <div class="stack first-steps">
      <Loaded of={choices} what="the first steps">
        {(all) => <FirstSteps {...all} />}
      </Loaded>
      <p class="muted">
        Then <a href="#/calls">place the first call</a>.
      </p>
    </div>
  );
}

interface StepParts {
  /** Scope of the step. */
  scope: Scope;
  isDone: boolean;
  href: string;
  label: string;
}

const FirstStep = ({ scope, isDone, href, label }: StepParts): VNode => (
  <li>
    {isDone ? (
      <>
        <Icon name="check" /> {label} <span class="muted">(done)</span>
      </>
    ) : may(scope) ? (
      <a href={href}>{label}</a>
    ) : (
      label
    )}
  </li>
);

function DialForm({ agents, numbers, trunks }: Choices): VNode {
  const phone = sandboxPhone(trunks);
  return (
    <CallForm
      label="Place a call"
      submit="Call"
      destination={{
        label: 'Destination',
        hint: 'A SIP URI or a phone number.',
        given: phone ? `sip:answer@${phone}` : '',
      }}
      agents={agents}
      numbers={numbers}
      trunks={trunks}
    />
  );
}

interface CallFormParts {
  label: string;
  submit: string;
  destination: { label: string; hint: string; given: string };
  /** The agent of the call; absent: one of `agents` is chosen. */
  agent?: Pick<WholeAgent, 'id' | 'variables'>;
  agents?: readonly Agent[];
  numbers: readonly PhoneNumber[];
  trunks: readonly Trunk[];
  /** Called with the destination of a call that was placed. */
  onPlaced?: (to: string) => void;
}

/** A number, in contrast to a SIP URI: it is called through a trunk. */
const isNumber = (to: string): boolean => /^[+\d(]/.test(to.trim());

/** Places one call with the values of the agent's variables, and goes to its page. */
export function CallForm(parts: CallFormParts): VNode {
  const { label, submit, destination, agent, agents = [], numbers, trunks, onPlaced } = parts;
  const phone = sandboxPhone(trunks);
  const to = useSignal(destination.given);
  const agentId = useSignal(agent?.id ?? agents[0]?.id);
  const read = useDeclared(agent ? undefined : agentId.value);
  const declared = agent?.variables ?? read;
  const trunkId = useSignal<string | undefined>(undefined);
  // A retry of the same call keeps its idempotency key, so that no phone is called twice; changed input creates a new key.
  const key = useRef(randomKey());
  const change = (): void => void (key.current = randomKey());
  const send = async (values: FormData): Promise<void> => {
    const variables = variablesIn(values, declared);
    const { data } = await ask<{ data: Call }>('POST', apiPath`calls`, {
      headers: { 'Idempotency-Key': key.current },
      body: {
        to_number: to.value.trim(),
        agent_id: agentId.value,
        number_id: numberOf(values, 'number_id'),
        trunk_id: numberOf(values, 'trunk_id'),
        ...(variables && { variables }),
        ...scheduleOf(values),
      },
    });
    onPlaced?.(to.value.trim());
    location.hash = `#/calls/${data.call_id}`;
  };
  const choose = (address: string): void => {
    to.value = address;
    change();
  };
  return (
    <Form scope="calls:write" label={label} submit={submit} busy="Calling…" send={send} onInput={change}>
      <Field name="to_number" label={destination.label} hint={destination.hint}>
        <NumberInput
          inputMode="text"
          autocomplete={agent ? 'tel' : 'off'}
          placeholder={agent ? '+15550002222' : ''}
          value={to.value}
          onInput={(event) => (to.value = event.currentTarget.value)}
        />
      </Field>
      {phone && <SandboxKeys phone={phone} to={to.value} onChoose={choose} />}
      {!agent && (
        <Field name="agent_id" label="Agent">
          <Choice
            options={agents.map(({ id, name }) => [id, name])}
            selected={agentId.value}
            onChange={(id) => (agentId.value = Number(id))}
          />
        </Field>
      )}
      {!agent && <WarningsOfAgent agentId={agentId.value ?? null} />}
      <VariableFields declared={declared} />
      <Field name="number_id" label="From">
        <Choice options={numbers.map(({ id, name, e164 }) => [id, `${e164} (${name})`])} />
      </Field>
      <Field name="trunk_id" label="Trunk" hint="Phone numbers need a trunk.">
        <Choice
          options={[['', 'Direct, by SIP URI'], ...trunks.map(({ id, name }) => [id, name] as const)]}
          selected={trunkId.value ?? (isNumber(to.value) ? (trunks[0]?.id ?? '') : '')}
          onChange={(id) => (trunkId.value = id)}
        />
      </Field>
      {!agent && <ScheduleFields />}
    </Form>
  );
}

/** Empty fields: the call is dialled at once. */
const ScheduleFields = (): VNode => (
  <details>
    <summary>Call later</summary>
    <div class="stack">
      <Field name="not_before" label="Not before" hint="In the time zone of this browser.">
        <input type="datetime-local" />
      </Field>
      <Field name="days" label="Days">
        <Choice
          options={[
            ['', 'Every day'],
            ['working', 'Monday to Friday'],
          ]}
        />
      </Field>
      <div class="pair">
        <Field name="window.windows.0.from" label="From">
          <input type="time" />
        </Field>
        <Field name="window.windows.0.to" label="To">
          <input type="time" />
        </Field>
      </div>
      <Field name="time_zone" label="Time zone" hint="Leave empty to use the time zone of the number.">
        <TimeZoneInput />
      </Field>
      <ScheduleErrors />
    </div>
  </details>
);

/** Of the window as a whole: it may never open. */
const ScheduleErrors = (): VNode => (
  <p class="field-error" data-field="window">
    {useErrors('window')}
  </p>
);

const WORKING_DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] as const;

/** The fields of a request for a later call; undefined ones are left out. */
function scheduleOf(values: FormData): Pick<NewCall, 'not_before' | 'window' | 'time_zone'> {
  const notBefore = new Date(textOf(values, 'not_before'));
  const [from, to] = ['from', 'to'].map((end) => textOf(values, `window.windows.0.${end}`));
  const isWorking = textOf(values, 'days') !== '';
  const hasWindow = Boolean(from) || Boolean(to) || isWorking;
  const whole = !from && !to;
  const times = whole ? { from: '00:00', to: '24:00' } : { from: from ?? '', to: to ?? '' };
  return {
    not_before: Number.isNaN(notBefore.getTime()) ? undefined : notBefore.toISOString(),
    window: hasWindow ? { windows: [{ ...times, ...(isWorking && { days: [...WORKING_DAYS] }) }] } : undefined,
    time_zone: textOf(values, 'time_zone') || undefined,
  };
}

interface SandboxParts {
  phone: string;
  /** The destination as typed. */
  to: string;
  onChoose: (address: string) => void;
}

const SandboxKeys = ({ phone, to, onChoose }: SandboxParts): VNode => (
  <div class="sandbox" role="group" aria-label="The sandbox phone">
    <p class="hint">
      <Icon name="phone" />
      Sandbox phone: choose its behaviour
    </p>
    <Chips
      label="Behaviour"
      data="extension"
      options={BEHAVIOURS}
      chosen={BEHAVIOURS.find(([name]) => to === `sip:${name}@${phone}`)?.[0] ?? ''}
      onChoose={(name) => onChoose(`sip:${name}@${phone}`)}
    />
  </div>
);

/** crypto.randomUUID() exists on https and localhost only. */
export const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
