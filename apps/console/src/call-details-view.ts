import { type Child, h } from './dom.js';
import { facts, jsonBlock, pill, timeOf } from './page-parts.js';
import { clock, dollars, plural, span, words } from './format.js';
import type { CostLine, ToolCall, Transfer, WholeCall } from './types.js';
import { CAUSES } from './call-status.js';
import type { Entry } from './conversation.js';
import { passageView } from './passage-view.js';
import { icon } from './icons.js';

/** The remaining fields of a call. */
export function detailsView(call: WholeCall): HTMLElement {
  const all: [string, Child][] = [
    ['From', call.from_number],
    ['To', call.to_number],
    ['Created', timeOf(call.created_at)],
    ...timesOf(call),
    ['Agent', `${call.agent} (${call.agent_id})`],
    ['Trunk', call.trunk_id === null ? 'None, direct SIP call' : String(call.trunk_id)],
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
  if (started !== null) all.push(['Queued for', between(created, started)]);
  if (started !== null && answered !== null) all.push(['Rang for', between(started, answered)]);
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
    h('caption', { class: 'unseen' }, 'Cost of the call'),
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
          'Total',
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

/** The transfers of a call, successful or not. */
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
          one.from_number === null ? '' : `, caller ID ${one.from_number}`,
        ),
        h('p', { class: 'muted small' }, timeOf(one.started_at), talkedOf(one), whyOf(one)),
      ),
    ),
  );

const HOW: Readonly<Record<Transfer['method'], string>> = {
  bridge: 'Bridged to a second leg',
  refer: 'Transferred by SIP REFER',
};

const talkedOf = ({ answered_at: answered, ended_at: ended }: Transfer): string =>
  answered === null || ended === null ? '' : ` · ${span(Date.parse(ended) - Date.parse(answered))}`;

function whyOf({ hangup_cause: cause, sip_code: code }: Transfer): string {
  if (cause === null) return '';
  return ` · ${CAUSES[cause]}${code === null ? '' : ` (SIP ${code})`}`;
}

type Search = Extract<Entry, { kind: 'search' }>;

/** The agent's knowledge searches of a call, with their results. */
export function knowledgeUsed(searches: readonly Search[], agentId: number): HTMLElement {
  if (searches.length === 0)
    return h(
      'p',
      { class: 'muted' },
      'The agent has not searched its knowledge. ',
      h('a', { href: `#/knowledge/${agentId}` }, 'Show its knowledge'),
    );
  return h(
    'ul',
    { class: 'stack plain' },
    searches.map(({ query, passages, atMs }) =>
      h(
        'li',
        { class: 'card tight' },
        h(
          'div',
          { class: 'split' },
          h('strong', null, `“${query}”`),
          h('span', { class: 'muted small' }, `at ${clock(atMs / 1_000)}`),
        ),
        passages[0] ? passageView(passages[0], query) : h('p', { class: 'muted' }, 'No results.'),
        passages.length > 1
          ? h(
              'details',
              null,
              h('summary', null, plural(passages.length - 1, 'more passage')),
              h(
                'ol',
                { class: 'passages' },
                passages.slice(1).map((one) => h('li', null, passageView(one, query))),
              ),
            )
          : null,
      ),
    ),
  );
}

/** A tool call of the agent, with its requests. */
export const toolCallView = (call: ToolCall): HTMLElement =>
  h(
    'li',
    { class: 'card tight' },
    h(
      'header',
      { class: 'split' },
      h('strong', null, icon('tool'), words(call.tool)),
      call.ok === null ? pill('processing', 'Running') : pill(call.ok ? 'succeeded' : 'failed'),
    ),
    h('p', { class: 'muted small' }, timeOf(call.started_at), call.ended_at === null ? '' : ` · ${tookOf(call)}`),
    h(
      'ul',
      { class: 'actions-of' },
      call.actions.map((action) => actionView(action)),
    ),
    h(
      'details',
      null,
      h('summary', null, 'Arguments and result'),
      jsonBlock('Arguments', call.arguments),
      jsonBlock('Result', call.result),
    ),
  );

const tookOf = ({ started_at, ended_at }: ToolCall): string =>
  span(Date.parse(ended_at ?? started_at) - Date.parse(started_at));

function actionView({ name, method, url, outcome, error, attempts }: ToolCall['actions'][number]): HTMLElement {
  const last = attempts.at(-1);
  const answer =
    last &&
    `${last.status ?? 'no answer'} in ${span(last.latency_ms)}${attempts.length > 1 ? `, try ${attempts.length}` : ''}`;
  return h(
    'li',
    null,
    h('span', { class: 'split' }, h('span', null, name), pill(outcome)),
    h('code', { class: 'small' }, `${method} ${url}`),
    h('span', { class: 'muted small' }, sentenceOf(error) ?? last?.error ?? answer ?? 'Not sent yet'),
  );
}

const sentenceOf = (error: ToolCall['actions'][number]['error']): string | undefined =>
  typeof error?.['message'] === 'string' ? error['message'] : undefined;
