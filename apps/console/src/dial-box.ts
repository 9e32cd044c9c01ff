import { apiPath } from './api-path.js';
import { agentsOf, ask, numbersOf, sandboxPhone, trunksOf } from './api.js';
import { h } from './dom.js';
import { field, form, option } from './forms.js';
import { icon } from './icons.js';
import { showLoaded, Trouble, waiting } from './notices.js';
import type { Agent, Call, PhoneNumber, Trunk } from './types.js';

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

/** Places a call and goes to its page. */
export function dialBox(signal: AbortSignal): HTMLElement {
  const body = h('div', null, waiting('agents and numbers'));
  const trouble = new Trouble();
  showLoaded({ body, trouble, signal }, load(signal).then(dialForm));
  // On narrow screens the list comes first, and the box is collapsed to one line.
  const isWide = matchMedia('(width >= 60rem)').matches;
  return h(
    'details',
    { class: 'card dial', open: isWide },
    h('summary', null, h('h2', null, icon('phone'), 'Place a call')),
    trouble.node,
    body,
  );
}

async function load(signal: AbortSignal): Promise<Choices> {
  const [agents, numbers, trunks] = await Promise.all([agentsOf(signal), numbersOf(signal), trunksOf(signal)]);
  const active = <T extends { active: boolean }>(all: T[]): T[] => all.filter((one) => one.active);
  return { agents: active(agents), numbers: active(numbers), trunks: active(trunks) };
}

function dialForm({ agents, numbers, trunks }: Choices): HTMLElement {
  const phone = sandboxPhone(trunks);
  const to = h('input', { name: 'to_number', autocomplete: 'off', spellcheck: 'false', inputmode: 'text' });
  const agent = h(
    'select',
    { name: 'agent_id' },
    agents.map(({ id, name }) => option(id, name)),
  );
  const number = h(
    'select',
    { name: 'number_id' },
    numbers.map(({ id, name, e164 }) => option(id, `${e164} (${name})`)),
  );
  const trunk = h(
    'select',
    { name: 'trunk_id' },
    option('', 'Direct, by SIP URI'),
    trunks.map((one) => option(one.id, one.name)),
  );
  if (phone) to.value = `sip:answer@${phone}`;
  let key = randomKey();
  const send = async (): Promise<void> => {
    const { data } = await ask<{ data: Call }>('POST', apiPath`calls`, {
      headers: { 'Idempotency-Key': key },
      body: {
        to_number: to.value.trim(),
        agent_id: idOf(agent.value),
        number_id: idOf(number.value),
        ...(trunk.value !== '' && { trunk_id: idOf(trunk.value) }),
      },
    });
    location.hash = `#/calls/${data.call_id}`;
  };
  const element = form(
    { label: 'Place a call', submit: 'Call', busy: 'Calling…', send },
    field({
      name: 'to_number',
      label: 'Destination',
      input: to,
      hint: 'A SIP URI, or a number with + and country code.',
    }),
    phone ? sandboxKeys(phone, to) : null,
    field({ name: 'agent_id', label: 'Agent', input: agent }),
    field({ name: 'number_id', label: 'From', input: number }),
    field({ name: 'trunk_id', label: 'Trunk', input: trunk, hint: 'Phone numbers need a trunk.' }),
  );
  // A retry of the same call keeps its idempotency key, so that no phone is called twice; changed input creates a new key.
  element.addEventListener('input', () => void (key = randomKey()));
  return element;
}

function sandboxKeys(phone: string, to: HTMLInputElement): HTMLElement {
  const choose = (extension: string) => (): void => {
    to.value = `sip:${extension}@${phone}`;
    to.dispatchEvent(new Event('input', { bubbles: true }));
    show();
  };
  const keys = BEHAVIOURS.map(([extension, label]) =>
    h('button', { type: 'button', class: 'chip', onclick: choose(extension), 'data-extension': extension }, label),
  );
  const show = (): void => {
    for (const key of keys)
      key.setAttribute('aria-pressed', String(to.value === `sip:${key.dataset['extension'] ?? ''}@${phone}`));
  };
  to.addEventListener('input', show);
  show();
  return h(
    'div',
    { class: 'sandbox', role: 'group', 'aria-label': 'The sandbox phone' },
    h('p', { class: 'hint' }, icon('phone'), 'Sandbox phone: choose its behaviour'),
    h('div', { class: 'chips' }, keys),
  );
}

/** undefined when the list is empty: the API reports the missing field. */
const idOf = (value: string): number | undefined => (value === '' ? undefined : Number(value));

/** crypto.randomUUID() exists on https and localhost only. */
const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
