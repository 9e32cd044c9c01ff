import type { VNode } from 'preact';
import type { WholeCall } from '../../api/types.js';
import { Facts } from '../../components/parts.js';
import { gradeOf, span } from '../../logic/format.js';

type Quality = NonNullable<WholeCall['quality']>;
type Latency = NonNullable<WholeCall['latency']>;

/** The parts of an answer in the order of their time. */
const PARTS = [
  ['endpointing', 'Endpointing'],
  ['model', 'Model'],
  ['tools', 'Tools'],
  ['synthesis', 'Synthesis'],
  ['playout', 'Playout'],
] as const;

/** How the call sounded, and how fast the agent answered. */
export const QualityAndLatency = ({ call: { quality, latency, interruptions, talk } }: { call: WholeCall }): VNode => (
  <div class="stack">
    {quality && <Sound quality={quality} />}
    {latency && <Answers latency={latency} />}
    {interruptions && (
      <Facts
        all={[
          ['Interruptions', interruptions.by_user],
          ['Of which without words', interruptions.false],
          ['Ignored', interruptions.ignored],
        ]}
      />
    )}
    {talk && (
      <Facts
        all={[
          ['Agent spoke', span(talk.agent_ms)],
          ['User spoke', span(talk.user_ms)],
          ['Silence', span(talk.silence_ms)],
        ]}
      />
    )}
  </div>
);

const percent = (share: number | null): string => (share === null ? '–' : `${(share * 100).toFixed(2)} %`);
const ms = (value: number | null): string => (value === null ? '–' : `${value.toFixed(1)} ms`);
const score = (mos: number | null): string => (mos === null ? '–' : `${mos.toFixed(1)} (${gradeOf(mos)})`);

function Sound({ quality: { received, sent, round_trip_ms: roundTrip } }: { quality: Quality }): VNode {
  const rows = [['Received', received] as const, ...(sent ? [['Sent (RTCP)', sent] as const] : [])];
  return (
    <>
      <table class="figures">
        <caption class="unseen">Audio quality by direction</caption>
        <thead>
          <tr>
            <th scope="col">Audio</th>
            <th scope="col">MOS</th>
            <th scope="col">Loss</th>
            <th scope="col">Jitter</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, stream]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{score(stream.mos)}</td>
              <td>{percent(stream.loss_rate)}</td>
              <td>{ms(stream.jitter_ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {roundTrip !== null && <p class="hint">{`Round trip ${ms(roundTrip)}`}</p>}
    </>
  );
}

const Answers = ({ latency }: { latency: Latency }): VNode => (
  <>
    <table class="figures">
      <caption>{`Agent response time, ${latency.answers === 1 ? '1 response' : `${latency.answers} responses`}`}</caption>
      <thead>
        <tr>
          <th scope="col">Stage</th>
          <th scope="col">Mean</th>
          <th scope="col">p50</th>
          <th scope="col">p90</th>
          <th scope="col">Max</th>
        </tr>
      </thead>
      <tbody>
        {PARTS.map(([part, label]) => {
          const figures = latency[part];
          return figures && <Row key={part} name={part} label={label} figures={figures} />;
        })}
      </tbody>
      <tfoot>
        <Row name="total" label="Total" figures={latency.total} />
      </tfoot>
    </table>
    {latency.synthesis === null && <p class="hint">Speech-to-speech provider: the model time includes synthesis.</p>}
    {latency.network_ms !== null && <p class="hint">{`The network adds ${latency.network_ms} ms to each response.`}</p>}
  </>
);

const Row = ({ name, label, figures }: { name: string; label: string; figures: Latency['total'] }): VNode => (
  <tr data-latency={name}>
    <th scope="row">{label}</th>
    <td>{span(figures.mean_ms)}</td>
    <td>{span(figures.p50_ms)}</td>
    <td>{span(figures.p90_ms)}</td>
    <td>{span(figures.max_ms)}</td>
  </tr>
);
