import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { createLog, startTracing } from '@app/common';
import type { CallLeg } from '@app/telephony';
import type { SessionEvent } from '@app/voice';
import { type CollectedSpan, TraceCollector } from '../../../../test/support/trace-collector.js';
import type { CallContext } from './call-context.service.js';
import { CallTrace } from './call-trace.js';

const LATENCY = { input_ended_ms: 2_000, endpoint_ms: 300, first_token_ms: 450, first_audio_ms: 600, heard_ms: 640 };
const turn = (latency: object | undefined, text: string): SessionEvent =>
  ({ type: 'turn', at_ms: 4_000, role: 'agent', text, started_ms: 2_640, ended_ms: 4_000, latency }) as SessionEvent;

let collector: TraceCollector;
let spans: CollectedSpan[];

beforeAll(async () => {
  collector = await TraceCollector.start();
  // OpenTelemetry reads the variable itself.
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.endpoint;
  const log = createLog({ level: 'silent', role: 'test' });
  const tracing = await startTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }, 'dialer', log);
  const context = { id: 'call-1', created_at: new Date(), trace_parent: null, direction: 'inbound' } as CallContext;
  const trace = CallTrace.of(context)!;
  const leg = Object.assign(new EventEmitter(), { direction: 'inbound' });
  trace.follow(leg as unknown as CallLeg);
  leg.emit('answered');
  leg.emit('ended', { sipCode: 200, cause: 'normal_clearing', stats: { lossRate: 0, jitterMs: 0 } });
  trace.heard(
    [
      turn(undefined, 'The greeting.'),
      turn(LATENCY, 'The answer.'),
      turn({ ...LATENCY, first_token_ms: undefined }, 'Another one.'),
    ],
    0,
  );
  trace.close();
  await tracing.stop();
  spans = collector.spans;
});
afterAll(async () => {
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  await collector.close();
});

describe('the trace of a call', () => {
  it('has a span from the end of the input to the first packet for each answer, and none for the greeting', () => {
    const talk = spans.find(({ name }) => name === 'talk');
    const answers = spans.filter(({ name }) => name === 'agent answer');
    expect(answers.map(({ parentId, ms, events }) => ({ parentId, ms: Math.round(ms), events }))).toEqual([
      { parentId: talk?.spanId, ms: 640, events: ['endpoint', 'first_token', 'first_audio'] },
      { parentId: talk?.spanId, ms: 640, events: ['endpoint', 'first_audio'] },
    ]);
  });

  it('has no word of the conversation', () => {
    expect(collector.texts.join('\n')).not.toMatch(/greeting|The answer|Another one/);
  });
});
