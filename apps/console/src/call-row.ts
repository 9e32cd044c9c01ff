import { shownStatus } from './call-status.js';
import { h } from './dom.js';
import { clock, dollars, words } from './format.js';
import { icon } from './icons.js';
import { pill, running, timeOf } from './page-parts.js';
import { type Call, isLive } from './types.js';

/** A row of the call list that links to the page of the call. */
export function callRow(call: Call): HTMLElement {
  const inbound = call.direction === 'inbound';
  return h(
    'li',
    null,
    h(
      'a',
      { href: `#/calls/${call.call_id}`, class: 'row', 'data-focus': call.call_id, 'data-call': call.call_id },
      pill(shownStatus(call)),
      h(
        'span',
        { class: 'who' },
        h(
          'span',
          { class: 'remote-number' },
          icon(inbound ? 'in' : 'out'),
          said(inbound ? 'from' : 'to'),
          remoteNumber(call),
        ),
        h('span', { class: 'muted small' }, `${call.agent} · ${inbound ? call.to_number : call.from_number}`),
      ),
      h('span', { class: 'when muted' }, timeOf(call.started_at ?? call.created_at)),
      h('span', { class: 'long' }, durationOf(call)),
      h('span', { class: 'price muted' }, outcomeOf(call)),
    ),
  );
}

export const remoteNumber = (call: Call): string => (call.direction === 'inbound' ? call.from_number : call.to_number);

const said = (words: string): HTMLElement => h('span', { class: 'unseen' }, ` ${words} `);

/** The time since the answer; it counts up during the call. */
export function durationOf(call: Call): HTMLElement | string {
  if (call.answered_at !== null && isLive(call)) return running(call.answered_at);
  return call.duration_seconds === null ? '–' : clock(call.duration_seconds);
}

function outcomeOf({ cost, hangup_cause, status }: Call): string {
  if (cost !== null) return dollars(cost);
  return hangup_cause === null || status === 'completed' || hangup_cause.includes(status) ? '' : words(hangup_cause);
}
