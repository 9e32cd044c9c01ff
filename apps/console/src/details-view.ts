import type { Child } from './dom.js';
import { h } from './dom.js';
import { facts } from './facts.js';
import { span } from './format.js';
import { timeOf } from './times.js';
import type { WholeCall } from './types.js';

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
