import { h } from './dom.js';
import { facts, timeOf } from './page-parts.js';
import { plural } from './format.js';
import { icon } from './icons.js';
import { emptyState } from './notices.js';
import type { Diagnostics, LadderStep, Leg, RtpStatistics } from './types.js';

/** The SIP messages of a call as a ladder; each opens to show the message as sent. */
export function ladderView({ legs, left_out: leftOut }: Diagnostics): HTMLElement {
  if (legs.every(({ ladder }) => ladder.length === 0))
    return emptyState(
      'phone',
      'No signalling yet',
      h('p', null, 'SIP messages appear about a second after they are sent.'),
    );
  return h(
    'div',
    { class: 'legs' },
    legs.map((leg) => legView(leg, legs.length > 1)),
    leftOut > 0 ? h('p', { class: 'muted' }, `${plural(leftOut, 'more message')} not stored.`) : null,
  );
}

function legView(leg: Leg, isOneOfMany: boolean): HTMLElement {
  const first = leg.ladder[0];
  const ours = first && (first.direction === 'out' ? first.from : first.to);
  const theirs = first && (first.direction === 'out' ? first.to : first.from);
  return h(
    'section',
    { class: 'leg' },
    isOneOfMany ? h('h3', null, `Leg ${leg.leg}, ${leg.direction}`) : null,
    h(
      'div',
      { class: 'ends' },
      h('span', null, h('strong', null, 'Trunkline'), h('span', { class: 'muted small' }, ours ?? '')),
      h('span', null, h('strong', null, 'Remote party'), h('span', { class: 'muted small' }, theirs ?? '')),
    ),
    h('ol', { class: 'ladder', 'aria-label': 'SIP messages' }, leg.ladder.map(step)),
    leg.rtp ? quality(leg.rtp) : null,
  );
}

function step(one: LadderStep): HTMLElement {
  const tone = toneOf(one.summary);
  return h(
    'li',
    { class: `step ${one.direction} ${tone}` },
    h(
      'details',
      null,
      h(
        'summary',
        null,
        h(
          'span',
          { class: 'offset' },
          (one.offset_ms / 1_000).toFixed(3),
          h('span', { class: 'unseen' }, ' seconds, '),
        ),
        h('span', { class: 'unseen' }, one.direction === 'out' ? 'sent: ' : 'received: '),
        h(
          'span',
          { class: 'arrow' },
          h('span', { class: 'summary' }, shortOf(one)),
          one.retransmissions > 0 ? h('span', { class: 'again' }, `×${one.retransmissions + 1}`) : null,
        ),
      ),
      h('p', { class: 'muted small' }, timeOf(one.at), ` · ${one.transport.toUpperCase()} · ${one.from} to ${one.to}`),
      h('pre', { tabindex: 0, role: 'region', 'aria-label': 'Message' }, h('code', null, one.message)),
    ),
  );
}

/** Omits the Request-URI, because the heading shows both addresses; a response includes the method of its request. */
function shortOf({ summary, cseq }: LadderStep): string {
  if (/^\d/.test(summary)) return `${summary}${cseq === null ? '' : ` (${cseq.replace(/^\d+ /, '')})`}`;
  return summary.split(' ')[0] ?? summary;
}

/** Tone by the class of a response; requests are neutral. */
function toneOf(summary: string): string {
  const first = /^(\d)\d\d /.exec(summary)?.[1];
  if (first === undefined) return 'request';
  if (first === '1') return 'provisional';
  return first === '2' ? 'success' : 'failure';
}

/** Mean opinion score in words, by ITU-T P.800. */
const grade = (mos: number): string => {
  if (mos >= 4) return 'good';
  if (mos >= 3.6) return 'fair';
  return mos >= 3.1 ? 'poor' : 'bad';
};

function quality(rtp: RtpStatistics): HTMLElement {
  const measured: [string, string][] = [
    ['Audio', `${rtp.codec ?? 'none'}${rtp.srtp ? ', encrypted' : ''}`],
    ['Quality', rtp.mos === null ? '–' : `MOS ${rtp.mos.toFixed(1)}, ${grade(rtp.mos)}`],
    ['Packets', `${rtp.sent.toLocaleString('en-US')} out, ${rtp.received.toLocaleString('en-US')} in`],
    ['Lost', `${rtp.lost} (${((rtp.loss_rate ?? 0) * 100).toFixed(1)} %)`],
    ['Jitter', rtp.jitter_ms === null ? '–' : `${rtp.jitter_ms.toFixed(1)} ms`],
    ['Round trip', rtp.rtt_ms === null ? '–' : `${rtp.rtt_ms.toFixed(1)} ms`],
  ];
  return h('div', { class: 'quality' }, h('h4', null, icon('phone'), 'Audio as measured'), facts(measured, 'small'));
}
