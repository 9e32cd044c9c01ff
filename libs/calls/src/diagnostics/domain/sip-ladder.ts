import type { CallRow } from '../../call.entity.js';
import type { DiagnosticsView, LadderStep, LegView } from '../../presenters/diagnostics.presenter.js';

/** Width of the time column before the first lifeline. */
const TIME_COLUMNS = 11;
const MAX_LABEL = 64;
const MIN_WIDTH = 30;

/** The diagnostics of a call as text: a ladder diagram per leg, in ASCII except for the texts of the messages. */
export function ladderText(call: CallRow, view: DiagnosticsView): string {
  const outcome = [call.status, call.hangup_cause, call.sip_code && `SIP ${call.sip_code}`].filter(Boolean).join(', ');
  const lines = [`Call ${view.call_id}: ${outcome}`];
  const [first] = view.legs.flatMap((leg) => leg.ladder);
  if (!first)
    return [...lines, 'No SIP messages: the call was not dialled, or they are no longer kept.', ''].join('\n');
  lines.push(`${first.at}, times in seconds since then`);
  for (const leg of view.legs) lines.push('', ...legLines(leg));
  if (view.left_out > 0) lines.push('', `${view.left_out} messages were left out.`);
  return [...lines, ''].join('\n');
}

function legLines(leg: LegView): string[] {
  const transports = [...new Set(leg.ladder.map((step) => step.transport.toUpperCase()))].join(', ');
  const title = `Leg ${leg.leg}, ${leg.direction}${transports && `, ${transports}`}`;
  return [title, ...diagram(leg.ladder), ...audioLines(leg)];
}

/** The first lifeline is the dialer; each remote address has its own. */
function diagram(ladder: LadderStep[]): string[] {
  const [first] = ladder;
  if (!first) return [];
  const remotes = [...new Set(ladder.map(remoteOf))];
  const names = [ownOf(first), ...remotes];
  const labels = ladder.map(labelOf);
  const width = Math.max(
    MIN_WIDTH,
    ...labels.map((label) => label.length + 8),
    ...names.map((name) => name.length + 4),
  );
  const margin = Math.ceil(names[0]!.length / 2);
  const lifelines = names.map((_name, i) => margin + i * width);
  const steps = ladder.map((step, i) => {
    const time = (step.offset_ms / 1_000).toFixed(3).padStart(TIME_COLUMNS - 2);
    const reach = lifelines[remotes.indexOf(remoteOf(step)) + 1]!;
    return `${time}  ${arrow(lifelines, reach, step.direction, labels[i]!)}${again(step)}`;
  });
  const indent = ' '.repeat(TIME_COLUMNS);
  return [indent + header(names, lifelines), indent + lifelineRow(lifelines), ...steps];
}

const ownOf = (step: LadderStep): string => (step.direction === 'out' ? step.from : step.to);
const remoteOf = (step: LadderStep): string => (step.direction === 'out' ? step.to : step.from);

const again = ({ retransmissions }: LadderStep): string =>
  retransmissions === 0 ? '' : ` (and ${retransmissions} more ${retransmissions === 1 ? 'time' : 'times'})`;

/** `200 OK (INVITE)`: the status line does not contain the method of the request. */
function labelOf({ summary, cseq, message }: LadderStep): string {
  const method = /^\d{3} /.test(summary) && cseq ? ` (${cseq.slice(cseq.indexOf(' ') + 1)})` : '';
  const sdp = /^m=audio /m.test(message) ? ' [SDP]' : '';
  const room = MAX_LABEL - method.length - sdp.length;
  return `${summary.length > room ? `${summary.slice(0, room - 3)}...` : summary}${method}${sdp}`;
}

function header(names: string[], lifelines: number[]): string {
  let line = '';
  for (const [i, name] of names.entries()) line = line.padEnd(lifelines[i]! - Math.floor(name.length / 2)) + name;
  return line;
}

const lifelineRow = (lifelines: number[]): string =>
  Array.from({ length: lifelines.at(-1)! + 1 }, (_cell, x) => (lifelines.includes(x) ? '|' : ' ')).join('');

function arrow(lifelines: number[], reach: number, direction: 'in' | 'out', label: string): string {
  const own = lifelines[0]!;
  const span = reach - own - 1;
  const shaft = direction === 'out' ? `${`-- ${label} `.padEnd(span - 1, '-')}>` : `<- ${label} `.padEnd(span, '-');
  return `${' '.repeat(own)}|${shaft}|${lifelineRow(lifelines).slice(reach + 1)}`;
}

function audioLines({ rtp }: LegView): string[] {
  if (!rtp) return [];
  const percent = (100 * (rtp.loss_rate ?? 0)).toFixed(2);
  const ours = [
    `${rtp.codec ?? 'audio'}${rtp.srtp ? ' over SRTP' : ''}`,
    `sent ${rtp.sent}`,
    `received ${rtp.received}`,
    `lost ${rtp.lost} (${percent} %)`,
    `jitter ${(rtp.jitter_ms ?? 0).toFixed(1)} ms`,
    ...(rtp.mos === null ? [] : [`MOS ${rtp.mos.toFixed(1)}`]),
  ];
  const theirs = [
    ...(rtp.remote_lost === null ? [] : [`lost ${rtp.remote_lost}`]),
    ...(rtp.remote_jitter_ms === null ? [] : [`jitter ${rtp.remote_jitter_ms.toFixed(1)} ms`]),
    ...(rtp.rtt_ms === null ? [] : [`round trip ${rtp.rtt_ms.toFixed(1)} ms`]),
    ...(rtp.implausible.length === 0 ? [] : [`implausible and left out: ${rtp.implausible.join(', ')}`]),
  ];
  return [
    `  RTP: ${ours.join(', ')}`,
    ...(theirs.length === 0 ? [] : [`  The remote party reports: ${theirs.join(', ')}`]),
    ...(rtp.refused_address === null ? [] : [`  Nothing was sent to the described address: ${rtp.refused_address}`]),
  ];
}
