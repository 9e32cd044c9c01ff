import { h } from './dom.js';
import { span } from './format.js';
import { CAUSES } from './hangup-causes.js';
import { pill } from './pills.js';
import { timeOf } from './times.js';
import type { Transfer } from './types.js';

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
  refer: 'The far end was asked to call (SIP REFER)',
};

const talkedOf = ({ answered_at: answered, ended_at: ended }: Transfer): string =>
  answered === null || ended === null ? '' : ` · ${span(Date.parse(ended) - Date.parse(answered))}`;

function whyOf({ hangup_cause: cause, sip_code: code }: Transfer): string {
  if (cause === null) return '';
  return ` · ${CAUSES[cause]}${code === null ? '' : ` (SIP ${code})`}`;
}
