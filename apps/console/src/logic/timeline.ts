import { statusWords } from './call-status.js';
import { conversationOf, type Entry } from './conversation.js';
import { span, wordless } from './format.js';
import { farName, speakerName } from './speakers.js';
import { answerOf, startOf } from './story.js';
import type { Call, CallEvent, Diagnostics } from '../api/types.js';

export type Source = 'call' | 'sip' | 'agent';

export interface Moment {
  key: string;
  source: Source;
  /** Milliseconds since 1970. */
  at: number;
  text: string;
}

/** All statuses, SIP messages and conversation entries of a call, sorted by time. */
export function timelineOf(call: Call, events: readonly CallEvent[], diagnostics: Diagnostics | undefined): Moment[] {
  const answered = startOf(call) + (answerOf(call) ?? 0);
  const statuses = events
    .filter(({ type }) => type === 'status')
    .map(({ seq, at, data }): Moment => ({
      key: `s${seq}`,
      source: 'call',
      at: Date.parse(at),
      text: statusText(data),
    }));
  const said = conversationOf(events).map((entry): Moment => ({
    key: entry.key,
    source: 'agent',
    at: answered + entry.atMs,
    text: sentence(entry, call),
  }));
  const signals = (diagnostics?.legs ?? []).flatMap(({ leg, ladder }) =>
    ladder.map((step, index): Moment => {
      const again = step.retransmissions > 0 ? ` (sent ${step.retransmissions + 1} times)` : '';
      const text = `${step.direction === 'out' ? '→' : '←'} ${step.summary}${again}`;
      return { key: `l${leg}-${index}`, source: 'sip', at: Date.parse(step.at), text };
    }),
  );
  return [...statuses, ...signals, ...said].toSorted((one, other) => one.at - other.at);
}

function statusText(data: CallEvent['data']): string {
  const cause = typeof data['hangup_cause'] === 'string' ? data['hangup_cause'] : undefined;
  const by = typeof data['ended_by'] === 'string' ? `, ended by ${data['ended_by']}` : '';
  const { message } = (data['failure'] ?? {}) as { message?: unknown };
  const why = typeof message === 'string' ? `. ${message}` : '';
  return `${statusWords(String(data['status']), cause)}${by}${why}`;
}

function sentence(entry: Entry, call: Call): string {
  const far = farName(call);
  switch (entry.kind) {
    case 'turn': {
      const name = speakerName(entry, far);
      const length = wordless(entry.text);
      return `${name}: ${length === undefined ? `“${entry.text}”` : `speech of ${length}`}${entry.cutBy === undefined ? '' : ', interrupted'}`;
    }
    case 'speaking':
      return `${speakerName(entry, far)} is speaking`;
    case 'tool':
      return `Tool ${entry.name} ${entry.ok ? 'ran' : 'failed'} in ${span(entry.tookMs)}`;
    case 'search':
      return `Searched the knowledge bases for “${entry.query}”`;
    case 'keys':
      return `${entry.sent ? 'Agent' : far} pressed ${entry.digits}`;
  }
  return entry.text;
}
