import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type PhoneCallRecord, type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { Client } from 'pg';
import { apiOf } from '../../support/api-client.js';
import { Stack } from '../../support/stack.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const GREETING = 'Hello, this is ACME.';
const WHO = 'This is ACME, about your order.';
/** The words of the transcriber, utterance by utterance. */
const HEARS = ['Record your name and reason for calling.', 'Please stay on the line.', 'Hello, who is speaking?'];
const MESSAGE = 'This is ACME. Please call us back tomorrow.';

/** One account per setting for machines. */
const WAYS = {
  leave: { on_machine: 'leave_message', message: MESSAGE },
  hang: { on_machine: 'hang_up' },
  go: { on_machine: 'go_on' },
  off: { detect: false, on_machine: 'hang_up' },
  screened: { on_machine: 'hang_up', on_screening: 'answer', screening_message: WHO },
} as const;
type Way = keyof typeof WAYS;

/** The called extension, and when the caller hangs up; absent: the call ends by itself. */
const STORIES: Record<Story, [Way, string, ((heard: PhoneCallRecord) => boolean)?]> = {
  message: ['leave', 'voicemail'],
  hangUp: ['hang', 'voicemail'],
  goOn: ['go', 'voicemail', (heard) => heard.heardUtterances > 0],
  human: ['leave', 'hello', (heard) => heard.heardUtterances > 1],
  waiting: ['hang', 'answer', (heard) => heard.said.includes('hello')],
  off: ['off', 'voicemail', (heard) => heard.heardUtterances > 0 && heard.beepedMs !== undefined],
  screening: ['screened', 'screening', (heard) => heard.said.includes('goOn')],
  pickUp: ['leave', 'pick_up', (heard) => heard.said.includes('goOn')],
  earlyVoicemail: ['hang', 'early_voicemail'],
  earlyMusic: ['leave', 'early_music', (heard) => heard.said.includes('goOn')],
};
type Story =
  | ('message' | 'hangUp' | 'goOn' | 'human' | 'waiting' | 'off')
  | ('screening' | 'pickUp' | 'earlyVoicemail' | 'earlyMusic');

interface Told {
  id: string;
  call: Record<string, unknown>;
  postCall: Record<string, unknown>;
  statuses: Record<string, unknown>[];
  heard: PhoneCallRecord;
  events: { type: string; data: Record<string, unknown> }[];
}

describe('answering machines, through the API', () => {
  let stack: Stack;
  let phone: SandboxPhone;
  let sink: WebhookSink;
  let database: Client;
  const accounts = {} as Record<Way, TestAccount>;
  const told = {} as Record<Story, Promise<Told>>;

  beforeAll(async () => {
    sink = await WebhookSink.start();
    phone = await startSandboxPhone({
      bind: '127.0.0.1',
      port: 0,
      rtpPorts: { min: 29_000, max: 29_399 },
      ringMs: 100,
      log: { debug: () => {}, warn: () => {} },
    });
    stack = await Stack.start();
    database = new Client(stack.database.url);
    await database.connect();
    for (const way of Object.keys(WAYS) as Way[]) {
      accounts[way] = await createAccount(stack, {
        name: way,
        webhookUrl: `${sink.url}/hook`,
        agent: {
          greeting: GREETING,
          max_call_seconds: 60,
          answering_machine: WAYS[way],
          ...(way === 'screened' && { provider: 'pipeline', script: { legs: { hears: HEARS } } }),
        },
      });
    }
    // The calls run in real time, all of them in parallel.
    for (const name of Object.keys(STORIES) as Story[]) told[name] = whole(...STORIES[name]);
    await Promise.all(Object.values(told));
  });

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await phone?.close();
    await sink?.close();
  });

  const place = async (way: Way, extension: string): Promise<string> => {
    const to_number = `sip:${extension}-${way}@127.0.0.1:${phone.port}`;
    return (await apiOf(stack, accounts[way]).createCall({ to_number, record: false })).call_id;
  };

  /** The results of an ended call: events, webhooks and the record of the phone. */
  const whole = async (way: Way, extension: string, enough?: (heard: PhoneCallRecord) => boolean): Promise<Told> => {
    const id = await place(way, extension);
    if (enough) {
      await phone.waitFor((one) => one.requestUser === `${extension}-${way}` && enough(one));
      await apiOf(stack, accounts[way]).cancel(id);
    }
    await sink.until(() => sink.eventsOf(id).includes('ended'));
    const bodies = sink.of(id).map((webhook) => webhook.body);
    const { rows } = await database.query('SELECT type, data FROM call_events WHERE call_id = $1 ORDER BY seq', [id]);
    return {
      id,
      call: await apiOf(stack, accounts[way]).call(id),
      postCall: bodies.at(-1)!.data,
      statuses: bodies.slice(0, -1).map((body) => body.data),
      heard: phone.calls.find((one) => one.requestUser === `${extension}-${way}`)!,
      events: rows,
    };
  };

  const agentSaid = ({ postCall }: Told) =>
    (postCall.transcript as { role: string; text: string }[])
      .filter(({ role }) => role === 'agent')
      .map(({ text }) => text);
  const eventsOf = (told: Told, type: string) =>
    told.events.filter((event) => event.type === type).map(({ data }) => data);

  it('a mailbox gets the message after its beep, and API, events and webhook say that it was a machine', async () => {
    const seen = await told.message;
    expect(seen.call).toMatchObject({ status: 'completed', answered_by: 'machine', hangup_cause: 'message_left' });
    expect(seen.postCall).toMatchObject({ answered_by: 'machine', ended_by: 'agent' });
    expect(seen.statuses.map((data) => data.answered_by)).toEqual([null, null, 'machine']);
    expect(agentSaid(seen)).toEqual([MESSAGE]);
    expect(eventsOf(seen, 'answered_by')).toMatchObject([{ answered_by: 'machine', ms: expect.any(Number) }]);
    expect(eventsOf(seen, 'beep')).toMatchObject([{ frequencies_hz: [1000] }]);
    expect(eventsOf(seen, 'message_started')).toMatchObject([{ after: 'beep' }]);

    const { beepedMs = Infinity, firstHeardMs = 0, heardVoiceMs, said } = seen.heard;
    expect(said).toEqual(['mailbox']);
    expect(firstHeardMs).toBeGreaterThan(beepedMs);
    expect(heardVoiceMs).toBeGreaterThan(1_500);
  });

  it('a call to a mailbox is hung up without a word', async () => {
    const seen = await told.hangUp;
    expect(seen.call).toMatchObject({ status: 'completed', answered_by: 'machine', hangup_cause: 'answering_machine' });
    expect(seen.heard).toMatchObject({ heardVoiceMs: 0, endedBy: 'caller' });
    expect(agentSaid(seen)).toEqual([]);
  });

  it('with go_on, the agent talks to a mailbox', async () => {
    const seen = await told.goOn;
    expect(seen.call).toMatchObject({ answered_by: 'machine', hangup_cause: 'normal_clearing' });
    expect(agentSaid(seen)[0]).toMatch(/^Hello/);
  });

  it('a human who says hello is greeted, and the conversation continues', async () => {
    const seen = await told.human;
    expect(seen.call).toMatchObject({ status: 'completed', answered_by: 'human', hangup_cause: 'normal_clearing' });
    const said = agentSaid(seen);
    expect(said[0]).toBe(GREETING);
    expect(said.length).toBeGreaterThan(1);
  });

  it('a callee who waits for the greeting is greeted after 2.5 s as unknown, and the call continues', async () => {
    const seen = await told.waiting;
    expect(seen.call).toMatchObject({
      status: 'completed',
      answered_by: 'unknown',
      hangup_cause: 'normal_clearing',
    });
    expect(eventsOf(seen, 'answered_by')).toMatchObject([{ reason: 'initial_silence', ms: 2500 }]);
    expect(agentSaid(seen)[0]).toBe(GREETING);
  });

  it('an agent without answering machine detection talks to machines', async () => {
    const seen = await told.off;
    expect(seen.call.answered_by).toBeNull();
    expect(eventsOf(seen, 'answered_by')).toEqual([]);
    expect(seen.heard.firstHeardMs ?? Infinity).toBeLessThan(seen.heard.beepedMs ?? 0);
  });

  it('a screening service hears who is calling, and the person who comes is greeted', async () => {
    const seen = await told.screening;
    expect(agentSaid(seen).slice(0, 2)).toEqual([WHO, GREETING]);
    expect(eventsOf(seen, 'screening_answered')).toHaveLength(1);
    expect(eventsOf(seen, 'answered_by').at(-1)).toMatchObject({ answered_by: 'human', reason: 'picked_up' });
    expect(seen.call).toMatchObject({ answered_by: 'human', answering_machine: { result: 'human' } });
    expect(seen.heard.said.slice(0, 3)).toEqual(['screens', 'holds', 'hello']);
  });

  it('a person who picks up during the message is greeted', async () => {
    const seen = await told.pickUp;
    expect(eventsOf(seen, 'answered_by').map((event) => event.answered_by)).toEqual(['machine', 'human']);
    expect(seen.call).toMatchObject({ answered_by: 'human', answering_machine: { evidence: { reason: 'picked_up' } } });
    expect(agentSaid(seen)[0]).not.toBe(MESSAGE);
    expect(agentSaid(seen)[1]).toBe(GREETING);
  });

  it('a mailbox that talks before the answer is given up, unanswered and free of charge', async () => {
    const seen = await told.earlyVoicemail;
    expect(seen.call).toMatchObject({
      status: 'no_answer',
      hangup_cause: 'answering_machine',
      answered_by: null,
      answering_machine: { result: 'voicemail', evidence: { reason: 'beep', early_media: { tone: null } } },
      answered_at: null,
      cost: null,
    });
    expect(eventsOf(seen, 'early_media')).toHaveLength(1);
    expect(seen.heard).toMatchObject({ endedBy: 'cancelled', heardVoiceMs: 0 });
  });

  it('a person who answers after ringback music is a person', async () => {
    const seen = await told.earlyMusic;
    expect(seen.call).toMatchObject({ answered_by: 'human', answering_machine: { result: 'human' } });
    expect(seen.postCall.answering_machine).toMatchObject({ evidence: { early_media: { speech_ms: 0 } } });
  });
});
