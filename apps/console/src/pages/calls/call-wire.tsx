import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { type Call, type Diagnostics, isLive, type LadderStep, type Leg, type RtpStatistics } from '../../api/types.js';
import { Chips } from '../../components/forms.js';
import { Icon } from '../../components/icons.js';
import { Empty, Facts, Pre, Time } from '../../components/parts.js';
import { gradeOf, plural } from '../../logic/format.js';
import { startOf } from '../../logic/story.js';
import type { Moment, Source } from '../../logic/timeline.js';

/** Seconds since the start of the call. */
const offset = (call: Call, at: number): string => (Math.max(0, at - startOf(call)) / 1_000).toFixed(3);

/** The SIP messages of a call as a ladder; each opens to show the message as sent. */
export function Ladder({ call, diagnostics }: { call: Call; diagnostics: Diagnostics }): VNode {
  const { legs, left_out: leftOut } = diagnostics;
  if (legs.every(({ ladder }) => ladder.length === 0)) return <NoMessages call={call} />;
  return (
    <div class="legs">
      {legs.map((leg) => (
        <LegView key={leg.leg} call={call} leg={leg} isOneOfMany={legs.length > 1} />
      ))}
      {leftOut > 0 && <p class="muted">{plural(leftOut, 'more message')} not stored.</p>}
    </div>
  );
}

function NoMessages({ call }: { call: Call }): VNode {
  if (call.channel === 'web')
    return (
      <Empty icon="web" title="No SIP messages">
        <p>The audio of this call runs over a WebSocket of the browser.</p>
      </Empty>
    );
  if (isLive(call))
    return (
      <Empty icon="phone" title="No SIP messages yet">
        <p>They appear about a second after they are sent.</p>
      </Empty>
    );
  return (
    <Empty icon="phone" title="No SIP messages">
      <p>
        {call.started_at === null
          ? 'The call ended before it was dialled.'
          : 'None were stored for this call, or their retention period is over.'}
      </p>
    </Empty>
  );
}

function LegView({ call, leg, isOneOfMany }: { call: Call; leg: Leg; isOneOfMany: boolean }): VNode {
  const first = leg.ladder[0];
  const ours = first && (first.direction === 'out' ? first.from : first.to);
  const theirs = first && (first.direction === 'out' ? first.to : first.from);
  return (
    <section class="leg">
      {isOneOfMany && <h3>{`Leg ${leg.leg}, ${leg.direction}`}</h3>}
      <div class="ends">
        <span>
          <strong>Trunkline</strong>
          <span class="muted small">{ours}</span>
        </span>
        <span>
          <strong>Remote party</strong>
          <span class="muted small">{theirs}</span>
        </span>
      </div>
      <ol class="ladder" aria-label="SIP messages">
        {leg.ladder.map((step, index) => (
          <Step key={index} call={call} step={step} />
        ))}
      </ol>
      {leg.rtp && <Quality rtp={leg.rtp} />}
    </section>
  );
}

const Step = ({ call, step }: { call: Call; step: LadderStep }): VNode => (
  <li class={`step ${step.direction} ${toneOf(step.summary)}`}>
    <details>
      <summary>
        <span class="offset">
          {offset(call, Date.parse(step.at))}
          <span class="unseen"> seconds, </span>
        </span>
        <span class="unseen">{step.direction === 'out' ? 'sent: ' : 'received: '}</span>
        <span class="arrow">
          <span class="summary">{shortOf(step)}</span>
          {step.retransmissions > 0 && <span class="again">×{step.retransmissions + 1}</span>}
        </span>
      </summary>
      <p class="muted small">
        <Time iso={step.at} />
        {` · ${step.transport.toUpperCase()} · ${step.from} to ${step.to}`}
      </p>
      <Pre label="Message" text={step.message} />
    </details>
  </li>
);

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

const ms = (value: number | null): string => (value === null ? '–' : `${value.toFixed(1)} ms`);

const Quality = ({ rtp }: { rtp: RtpStatistics }): VNode => (
  <div class="quality">
    <h3 class="minor">
      <Icon name="phone" />
      Measured audio
    </h3>
    <Facts
      kind="small"
      all={[
        ['Audio', `${rtp.codec ?? 'none'}${rtp.srtp ? ', encrypted' : ''}`],
        ['Quality', rtp.mos === null ? '–' : `MOS ${rtp.mos.toFixed(1)}, ${gradeOf(rtp.mos)}`],
        ['Packets', `${rtp.sent.toLocaleString('en-US')} out, ${rtp.received.toLocaleString('en-US')} in`],
        ['Lost', `${rtp.lost} (${((rtp.loss_rate ?? 0) * 100).toFixed(1)} %)`],
        ['Jitter', ms(rtp.jitter_ms)],
        ['Round trip', ms(rtp.rtt_ms)],
      ]}
    />
  </div>
);

const SOURCES: readonly (readonly [Source | 'all', string])[] = [
  ['all', 'All'],
  ['call', 'Status'],
  ['sip', 'SIP'],
  ['agent', 'Agent'],
];
const LABELS: Record<Source, string> = { call: 'Status', sip: 'SIP', agent: 'Agent' };

/** All moments of a call, or those of one source. */
export function Timeline({ call, moments }: { call: Call; moments: readonly Moment[] }): VNode {
  const only = useSignal<Source | 'all'>('all');
  return (
    <div>
      <Chips
        label="Show"
        data="source"
        options={SOURCES}
        chosen={only.value}
        onChoose={(source) => (only.value = source)}
      />
      <ol class="timeline" tabIndex={0} aria-label="Timeline">
        {moments
          .filter(({ source }) => only.value === 'all' || source === only.value)
          .map(({ key, source, at, text }) => (
            <li key={key} class={`moment ${source}`}>
              <time class="offset" dateTime={new Date(at).toISOString()} title={new Date(at).toISOString()}>
                {offset(call, at)}
              </time>
              <span class="source">{LABELS[source]}</span>
              <span class="text">{text}</span>
            </li>
          ))}
      </ol>
    </div>
  );
}
