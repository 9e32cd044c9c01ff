import type { VNode } from 'preact';
import { trunksOf } from '../../api/records.js';
import type { CostLine, ToolCall, Transfer, WholeCall } from '../../api/types.js';
import { Icon } from '../../components/icons.js';
import { useRead } from '../../components/lists.js';
import { type Fact, Facts, Json, Pill, Time } from '../../components/parts.js';
import { CAUSES } from '../../logic/call-status.js';
import { dollars, span, words } from '../../logic/format.js';

/** The remaining fields of a call. */
export function Details({ call }: { call: WholeCall }): VNode {
  const isWeb = call.channel === 'web';
  const all: Fact[] = [
    ['Channel', isWeb ? 'Web (browser)' : 'Phone'],
    ...(isWeb
      ? []
      : ([
          ['From', call.from_number],
          ['To', call.to_number],
        ] satisfies Fact[])),
    ['Created', <Time iso={call.created_at} />],
    ...timesOf(call),
    [
      'Agent',
      <>
        <a href={`#/agents/${call.agent_id}`}>{call.agent}</a>
        {typeof call.agent_version === 'number' && `, version ${call.agent_version}`}
      </>,
    ],
    ...(isWeb ? [] : [trunkOf(call)]),
    ['Call ID', <code>{call.call_id}</code>],
  ];
  return (
    <div class="stack">
      <Facts all={all} kind="rows-of-facts" />
      <Values title="Variables" values={call.variables} />
      <Values title="Metadata" values={call.metadata} />
    </div>
  );
}

const trunkOf = ({ trunk_id: id }: WholeCall): Fact => [
  'Trunk',
  id === null ? 'None (direct SIP)' : <TrunkName id={id} />,
];

function TrunkName({ id }: { id: number }): VNode {
  const trunks = useRead('trunks', trunksOf).data ?? [];
  return <a href={`#/trunks/${id}`}>{trunks.find((one) => one.id === id)?.name ?? String(id)}</a>;
}

function Values({ title, values }: { title: string; values: Readonly<Record<string, unknown>> | null | undefined }) {
  const all = Object.entries(values ?? {});
  if (all.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <Facts all={all.map(shown)} kind="rows-of-facts" />
    </>
  );
}

function timesOf({ schedule, ...call }: WholeCall) {
  const { created_at: created, started_at: started, answered_at: answered, ended_at: ended } = call;
  const all: Fact[] = schedule ? scheduleOf(schedule) : [];
  if (started !== null) all.push([schedule ? 'Waited for' : 'Queued for', between(created, started)]);
  if (started !== null && answered !== null) all.push(['Rang for', between(started, answered)]);
  if (answered !== null) all.push(['Answered', <Time iso={answered} />]);
  if (ended !== null) all.push(['Ended', <Time iso={ended} />]);
  return all;
}

function scheduleOf({ not_before: start, window, time_zones: zones }: NonNullable<WholeCall['schedule']>): Fact[] {
  const all: Fact[] = [];
  if (start !== null) all.push(['Not before', <Time iso={start} />]);
  if (window) all.push(['Window', window.windows.map(windowText).join('; ')]);
  if (window && window.excluded_dates.length > 0) all.push(['Excluded dates', window.excluded_dates.join(', ')]);
  if (zones.length > 0) all.push(['Time zone', zones.join(', ')]);
  return all;
}

const windowText = ({ days, from, to }: { days: string[]; from: string; to: string }): string =>
  `${days.length === 7 ? 'daily' : days.map((day) => day.slice(0, 3)).join(', ')} ${from}–${to}`;

const between = (from: string, to: string): string => span(Math.max(0, Date.parse(to) - Date.parse(from)));

const shown = ([name, value]: [string, unknown]): Fact => [
  name,
  typeof value === 'string' ? value : <code>{JSON.stringify(value)}</code>,
];

/** The bill of a call, line by line. */
export const Costs = ({ call: { costs, cost, realtime_cost: realtime } }: { call: WholeCall }): VNode => (
  <table class="costs">
    <caption class="unseen">Cost of the call</caption>
    <tbody>
      {costs.map((line, index) => (
        <CostRow key={index} line={line} />
      ))}
    </tbody>
    <tfoot>
      <tr>
        <th scope="row">
          Total
          <span class="muted small">Of which AI {dollars(realtime ?? 0)}</span>
        </th>
        <td>{dollars(cost ?? 0)}</td>
      </tr>
    </tfoot>
  </table>
);

const CostRow = ({ line }: { line: CostLine }): VNode => (
  <tr>
    <th scope="row">
      {line.description}
      <span class="muted small">{counted(line)}</span>
    </th>
    <td>{dollars(line.amount)}</td>
  </tr>
);

const THOUSAND = 'thousand_';
const countOf = (quantity: number, one: string): string =>
  `${quantity.toLocaleString('en-US')} ${words(one).toLowerCase()}${quantity === 1 || one.endsWith('s') ? '' : 's'}`;

/** `3.2 minutes at $0.01`, `280 tokens at $0.0001 per thousand`. */
const counted = ({ quantity, unit, unit_price: price }: CostLine): string =>
  unit.startsWith(THOUSAND)
    ? `${countOf(Math.round(quantity * 1_000), unit.slice(THOUSAND.length))} at ${priceOf(price)} per thousand`
    : `${countOf(quantity, unit)} at ${priceOf(price)}`;

/** A token costs millionths. */
const priceOf = (price: number): string => `$${price.toLocaleString('en-US', { maximumFractionDigits: 6 })}`;

const DECLINED: Readonly<Record<string, string>> = {
  key: 'declined by key',
  voice: 'declined by voice',
  no_reaction: 'no response to the briefing',
  hung_up: 'hung up without accepting the call',
  voicemail: 'voicemail',
  fax: 'fax machine',
};

/** The decision of a person about a warm transfer. */
function decisionOf({ accepted_by: by, declined_reason: reason }: Transfer): string {
  if (by !== null) return `, accepted by ${by}`;
  return reason === null ? '' : `, ${DECLINED[reason] ?? reason}`;
}

const HOW: Readonly<Record<Transfer['method'], string>> = {
  bridge: 'Bridged to a second leg',
  refer: 'Transferred by SIP REFER',
};

/** The transfers of a call, successful or not. */
export const Transfers = ({ all }: { all: readonly Transfer[] }): VNode => (
  <ul class="stack plain">
    {all.map((one) => (
      <li key={one.started_at} class="card tight">
        <div class="split">
          <strong>{one.destination === null ? one.to_number : `${one.destination} · ${one.to_number}`}</strong>
          <Pill status={one.status} />
        </div>
        <p class="muted small">{`${HOW[one.method]}${one.from_number === null ? '' : `, caller ID ${one.from_number}`}`}</p>
        <p class="muted small">
          <Time iso={one.started_at} />
          {`${talkedOf(one)}${whyOf(one)}${decisionOf(one)}`}
        </p>
      </li>
    ))}
  </ul>
);

const talkedOf = ({ answered_at: answered, ended_at: ended }: Transfer): string =>
  answered === null || ended === null ? '' : ` · ${span(Date.parse(ended) - Date.parse(answered))}`;

function whyOf({ hangup_cause: cause, sip_code: code }: Transfer): string {
  if (cause === null) return '';
  return ` · ${CAUSES[cause]}${code === null ? '' : ` (SIP ${code})`}`;
}

const PROBLEMS = {
  missing: 'not in the answer',
  not_a_value: 'no text, number or yes/no',
  too_long: 'longer than 1,000 characters',
} as const;

/** The tool calls of the agent, with their requests. */
export const ToolCalls = ({ all }: { all: readonly ToolCall[] }): VNode => (
  <ul class="stack plain">
    {all.map((call) => (
      <li key={call.invocation_id} class="card tight">
        <header class="split">
          <strong>
            <Icon name="tool" />
            {words(call.tool)}
          </strong>
          {call.ok === null ? (
            <Pill status="processing" label="Running" />
          ) : (
            <Pill status={call.ok ? 'succeeded' : 'failed'} />
          )}
        </header>
        <p class="muted small">
          <Time iso={call.started_at} />
          {call.ended_at === null ? '' : ` · ${between(call.started_at, call.ended_at)}`}
        </p>
        <ul class="actions-of">
          {call.actions.map((action, index) => (
            <Action key={index} {...action} />
          ))}
        </ul>
        {call.confirmation && <p class="small">Confirmed by the caller: “{call.confirmation.words}”</p>}
        {call.progress.length > 0 && (
          <ul class="plain small" aria-label="Progress">
            {call.progress.map(({ at, text }) => (
              <li key={at}>
                <Time iso={at} /> · {text}
              </li>
            ))}
          </ul>
        )}
        {call.assigned && (
          <ul class="plain small" aria-label="Kept from the answer">
            {call.assigned.map(({ name, value, problem }) => (
              <li key={name}>
                <code>{name}</code>: {problem === null ? String(value) : PROBLEMS[problem]}
              </li>
            ))}
          </ul>
        )}
        <details>
          <summary>Arguments and result</summary>
          <Json title="Arguments" value={call.arguments} />
          <Json title="Result" value={call.result} />
        </details>
      </li>
    ))}
    {all.length === 0 && <li class="muted">The agent did not call any tools.</li>}
  </ul>
);

function Action({ name, method, url, outcome, error, attempts }: ToolCall['actions'][number]): VNode {
  const last = attempts.at(-1);
  const answer =
    last &&
    `${last.status ?? 'no response'} in ${span(last.latency_ms)}${attempts.length > 1 ? `, attempt ${attempts.length}` : ''}`;
  return (
    <li>
      <span class="split">
        <span>{name}</span>
        <Pill status={outcome} />
      </span>
      <code class="small">{`${method} ${url}`}</code>
      <span class="muted small">{sentenceOf(error) ?? last?.error ?? answer ?? 'Not sent yet'}</span>
    </li>
  );
}

const sentenceOf = (error: ToolCall['actions'][number]['error']): string | undefined =>
  typeof error?.['message'] === 'string' ? error['message'] : undefined;
