import { type Child, h } from './dom.js';
import { facts } from './page-parts.js';
import { span, dollars } from './format.js';
import { timeOf } from './times.js';
import type { WholeCall, CostLine, Transfer } from './types.js';
import { CAUSES } from './call-status.js';
import { pill } from './pills.js';

/** What else is kept of a call. */
export function detailsView(call: WholeCall): HTMLElement {
  const all: [string, Child][] = [
    ['From', call.from_number],
    ['To', call.to_number],
    ['Created', timeOf(call.created_at)],
    ...timesOf(call),
    ['Agent', `${call.agent} (${call.agent_id})`],
    ['Trunk', call.trunk_id === null ? 'None, dialled directly' : String(call.trunk_id)],
    ['Call id', h('code', null, call.call_id)],
  ];
  const metadata = Object.entries(call.metadata ?? {});
  return h(
    'div',
    { class: 'stack' },
    facts(all, 'rows-of-facts'),
    metadata.length === 0 ? null : h('h3', null, 'Metadata'),
    metadata.length === 0 ? null : facts(metadata.map(shown), 'rows-of-facts'),
  );
}

function timesOf({ created_at: created, started_at: started, answered_at: answered, ended_at: ended }: WholeCall) {
  const all: [string, Child][] = [];
  if (started !== null) all.push(['Waited in line', between(created, started)]);
  if (started !== null && answered !== null) all.push(['Rang', between(started, answered)]);
  if (answered !== null) all.push(['Answered', timeOf(answered)]);
  if (ended !== null) all.push(['Ended', timeOf(ended)]);
  return all;
}

const between = (from: string, to: string): string => span(Math.max(0, Date.parse(to) - Date.parse(from)));

const shown = ([name, value]: [string, unknown]): [string, Child] => [
  name,
  typeof value === 'string' ? value : h('code', null, JSON.stringify(value)),
];

/** The bill of a call, line by line. */
export const costsView = ({ costs, cost, realtime_cost: realtime }: WholeCall): HTMLElement =>
  h(
    'table',
    { class: 'costs' },
    h('caption', { class: 'unseen' }, 'What the call cost'),
    h('tbody', null, costs.map(line)),
    h(
      'tfoot',
      null,
      h(
        'tr',
        null,
        h(
          'th',
          { scope: 'row' },
          'Together',
          h('span', { class: 'muted small' }, `of which AI ${dollars(realtime ?? 0)}`),
        ),
        h('td', null, dollars(cost ?? 0)),
      ),
    ),
  );

const line = ({ description, quantity, unit, unit_price: price, amount }: CostLine): HTMLElement =>
  h(
    'tr',
    null,
    h(
      'th',
      { scope: 'row' },
      description,
      h('span', { class: 'muted small' }, `${counted(quantity, unit)} at ${priceOf(price)}`),
    ),
    h('td', null, dollars(amount)),
  );

const counted = (quantity: number, unit: string): string =>
  `${quantity.toLocaleString('en-US')} ${unit}${quantity === 1 ? '' : 's'}`;

/** A token costs millionths. */
const priceOf = (price: number): string => `$${price.toLocaleString('en-US', { maximumFractionDigits: 6 })}`;

/** To whom a call was handed over, or should have been. */
export const transfersView = (transfers: readonly Transfer[]): HTMLElement =>
  h(
    'ul',
    { class: 'stack plain' },
    transfers.map((one) =>
      h(
        'li',
        { class: 'card tight' },
        h('div', { class: 'split' }, h('strong', null, one.to_number), pill(one.status)),
        h(
          'p',
          { class: 'muted small' },
          HOW[one.method],
          one.from_number === null ? '' : `, seen as ${one.from_number}`,
        ),
        h('p', { class: 'muted small' }, timeOf(one.started_at), talkedOf(one), whyOf(one)),
      ),
    ),
  );

const HOW: Readonly<Record<Transfer['method'], string>> = {
  bridge: 'A second leg of ours',
  refer: 'The remote party was asked to call (SIP REFER)',
};

const talkedOf = ({ answered_at: answered, ended_at: ended }: Transfer): string =>
  answered === null || ended === null ? '' : ` · ${span(Date.parse(ended) - Date.parse(answered))}`;

function whyOf({ hangup_cause: cause, sip_code: code }: Transfer): string {
  if (cause === null) return '';
  return ` · ${CAUSES[cause]}${code === null ? '' : ` (SIP ${code})`}`;
}
