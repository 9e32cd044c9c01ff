import { describe, expect, it } from '@jest/globals';
import type { NewCallEvent } from '@app/calls';
import { SECRET_KINDS } from '@app/privacy';
import type { SessionEvent } from '@app/voice';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ConversationClock } from './conversation-clock.js';
import { ConversationRecord } from './conversation-record.js';
import type { EventWriter } from '../call/event-writer.js';
import type { LiveWordsService } from './live-words.service.js';
import { silenceRecording } from '../media/recording-silences.js';

interface Recorded {
  joinedMs?: number;
  remoteParty?: 'callee' | 'caller';
}

function recordOf({ joinedMs = 0, remoteParty = 'callee' }: Recorded = {}): {
  record: ConversationRecord;
  stored: NewCallEvent[];
  live: string[];
} {
  const stored: NewCallEvent[] = [];
  const live: string[] = [];
  const writer: Pick<EventWriter, 'add' | 'flush'> = { add: (event) => void stored.push(event), flush: async () => {} };
  const words: Pick<LiveWordsService, 'spoken' | 'turnEnded' | 'forget'> = {
    spoken: (_call, { text }) => void live.push(text),
    turnEnded: () => undefined,
    forget: async () => {},
  };
  const clock = new ConversationClock({ now: () => new Date(0) });
  clock.start(new Date(0), new Date(joinedMs));
  const record = new ConversationRecord(writer as EventWriter, words as LiveWordsService, clock, {
    callId: 'c',
    remoteParty,
    redaction: { kinds: [...SECRET_KINDS], custom: [{ name: 'member', pattern: 'M-[0-9]{6}' }], audio: true },
  });
  return { record, stored, live };
}

type LineEnd = Parameters<ConversationRecord['lineEnded']>[0];

describe('the event of the end', () => {
  const reported = { type: 'ended', at_ms: 9, ended_by: 'system', cause: 'drained' } as const;
  const line = (more: Partial<LineEnd>): LineEnd => ({
    ...{ status: 'completed', sipCode: undefined },
    endOf: () => ({ cause: 'normal_clearing', ended_by: 'api' }),
    ...more,
  });

  it('says what the row of the call says, if the line ended first', () => {
    const { record, stored } = recordOf();
    record.lineEnded(line({}));
    record.hear(reported);
    expect(stored.at(-1)?.data).toEqual({ at_ms: 9, cause: 'normal_clearing', ended_by: 'api', failure: null });
    expect(record.summary).toContain('The call was ended by a request.');
  });

  it('names the caller of an inbound call', () => {
    const { record, stored } = recordOf({ remoteParty: 'caller' });
    record.hear({ ...reported, ended_by: 'callee', cause: 'normal_clearing' });
    expect(stored.at(-1)?.data).toMatchObject({ cause: 'normal_clearing', ended_by: 'caller', failure: null });
  });

  it('says why the call failed', () => {
    const { record, stored } = recordOf();
    const reason = 'The server of openai-live rejected the key (HTTP 401).';
    record.hear({ type: 'error', at_ms: 5, code: 'agent_provider_error', message: reason, reason });
    record.hear({ ...reported, cause: 'agent_provider_error' });
    const failure = { code: 'agent_provider_error', message: `The voice agent failed. ${reason}` };
    expect(stored.at(-1)?.data).toMatchObject({ failure });
    expect(record.failureReason).toBe(reason);
  });
});

/** A generator of numbers that repeats with its seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const WORDS = 'zero one two three four five six seven eight nine'.split(' ');
const spoken = (digits: string): string =>
  digits
    .split('')
    .map((digit) => WORDS[Number(digit)] ?? digit)
    .join(' ');

function luhnComplete(prefix: string): string {
  let sum = 0;
  for (const [i, digit] of prefix.split('').reverse().entries()) {
    const value = i % 2 === 0 ? Number(digit) * 2 : Number(digit);
    sum += value > 9 ? value - 9 : value;
  }
  return prefix + String((10 - (sum % 10)) % 10);
}

/** Twenty ways to say a secret: what is said, and what must not be found afterwards. */
const SECRETS: ((random: (below: number) => number) => { ask: string; parts: string[]; needles: string[] })[] = [
  (r) => whole('Card?', luhnComplete(`4${some(r, 14)}`)),
  (r) => group('Which card?', luhnComplete(`55${some(r, 13)}`)),
  (r) => saidDigits('Which card is it?', luhnComplete(`4${some(r, 14)}`)),
  (r) => inTurns('Your card number, please.', luhnComplete(`4${some(r, 14)}`)),
  (r) => whole('Card number?', luhnComplete(`37${some(r, 12)}`)),
  () => whole('Your IBAN?', 'DE89370400440532013000'),
  () => ({ ask: 'Your IBAN?', parts: ['GB29 NWBK 6016 1331', '9268 19'], needles: ['NWBK', '6016 1331', '9268 19'] }),
  (r) => whole('E-mail?', `anna.${some(r, 6)}@example.com`),
  (r) => ({ ask: 'Mail?', parts: [`anna dot m${some(r, 5)} at example dot com`], needles: ['at example'] }),
  (r) => whole('Phone?', `+49151${1 + r(8)}${some(r, 7)}`),
  (r) => saidDigits('Your phone number?', `0151${1 + r(8)}${some(r, 7)}`),
  (r) => whole('Social security number?', `5${some(r, 2).replace(/0/g, '1')}-45-${1 + r(8)}${some(r, 3)}`),
  () => whole('Tax ID?', 'AB123456C'),
  () => whole('Steuer-ID?', '86095742719'),
  () => whole('Codice fiscale?', 'RSSMRA85T10A562S'),
  (r) => ({ ask: 'Your date of birth?', parts: [`1${r(9)}.0${1 + r(8)}.198${r(9)}`], needles: ['.198'] }),
  (r) => whole('Your PIN, please?', `${1 + r(8)}${some(r, 3)}`),
  (r) => whole('Tell me your password, please.', `swordfish${some(r, 3)}`),
  (r) => whole('Member number?', `M-${some(r, 6)}`),
  (r) => whole('Which address?', `10.${r(255)}.${r(255)}.17`),
];

const some = (random: (below: number) => number, count: number): string =>
  Array.from({ length: count }, () => random(10)).join('');
const whole = (ask: string, secret: string) => ({ ask, parts: [`It is ${secret}.`], needles: [secret] });
function group(ask: string, digits: string) {
  const said = digits.replace(/(.{4})(?=.)/g, '$1 ');
  return { ask, parts: [said], needles: [said, said.slice(0, 9)] };
}
const saidDigits = (ask: string, digits: string) => ({
  ask,
  parts: [spoken(digits)],
  needles: [spoken(digits.slice(-6))],
});
function inTurns(ask: string, digits: string) {
  const halves = [digits.slice(0, 8), digits.slice(8)].map((half) => half.replace(/(.{4})(?=.)/g, '$1 '));
  return { ask, parts: halves, needles: halves };
}

describe('the stored conversation of a call', () => {
  it('holds none of 20 kinds of secrets in 200 conversations, in turns, running words, keys, tools and briefings', () => {
    const leaks: string[] = [];
    for (let seed = 0; seed < 200; seed++) {
      const { record, stored, live } = recordOf();
      const { ask, parts, needles } = SECRETS[seed % SECRETS.length]!(randomOf(seed + 1));
      let at = 1_000;
      let turn = 0;
      const say = (role: 'agent' | 'callee', text: string): void => {
        for (let end = 1; end <= text.length; end += 7)
          record.showWords({ turn: turn + 1, role, text: text.slice(0, end), started_ms: at });
        record.keep({
          at_ms: at + 900,
          type: 'turn',
          turn: ++turn,
          role,
          text,
          started_ms: at,
          ended_ms: at + 900,
          truncated: false,
        });
        at += 1_000;
      };
      say('agent', ask);
      for (const part of parts) {
        say('callee', part);
        say('agent', 'Yes?');
      }
      say('agent', `So it is ${parts.join(' ')}`);
      const value = parts.join(' ');
      const times = { at_ms: at, started_ms: at, ended_ms: at };
      record.keep({
        ...times,
        type: 'tool_call',
        tool_call_id: 't',
        name: 'save',
        arguments: { value },
        result: [value],
        ok: true,
      });
      record.note('transfer_briefing', { text: `They said: ${value}` });
      const summary = record.redact(`The caller gave ${value}.`);
      say('callee', 'Thank you, goodbye.');
      void record.close();
      const all = JSON.stringify([stored, live, summary, record.events]);
      for (const needle of needles)
        if (all.includes(needle)) leaks.push(`${seed % SECRETS.length}: ${needle} in ${all.slice(0, 900)}`);
      if (record.silences.length === 0) leaks.push(`${seed % SECRETS.length}: is heard`);
      if (stored.filter(({ type }) => type === 'turn').length !== turn) leaks.push(`${seed}: lost turns`);
    }
    expect(leaks).toEqual([]);
  });

  it('holds no pressed digit of a card, and silences its tones', () => {
    const { record, stored } = recordOf();
    const card = '4111111111111111';
    const keep = (event: SessionEvent): void => record.keep(event);
    for (const [i, digit] of card.split('').entries())
      keep({ at_ms: 1_000 + i * 300, type: 'dtmf_received', digit, duration_ms: 100 });
    expect(stored).toEqual([]);
    keep({ at_ms: 7_800, type: 'dtmf_input', digits: card });
    keep({
      at_ms: 9_000,
      type: 'turn',
      turn: 1,
      role: 'callee',
      text: 'Done.',
      started_ms: 8_000,
      ended_ms: 9_000,
      truncated: false,
    });
    void record.close();
    expect(stored.map(({ type, data }) => `${type} ${[data['digit'] ?? data['digits']].join('')}`)).toEqual([
      ...Array.from({ length: 16 }, () => 'dtmf_received [card]'),
      'dtmf_input [card]',
      'turn ',
    ]);
    expect(record.silences).toHaveLength(16);
    expect(record.silences[0]).toEqual({ fromMs: 820, toMs: 1_080 });
  });

  it('keeps the order of events, and says what was removed', () => {
    const { record, stored } = recordOf();
    const turn = { type: 'turn' as const, started_ms: 0, ended_ms: 1, truncated: false, at_ms: 1 };
    record.keep({ ...turn, turn: 1, role: 'callee', text: 'It is 4111 1111' });
    record.note('hold', {});
    record.keep({ ...turn, turn: 2, role: 'callee', text: '1111 1111' });
    void record.close();
    expect(stored.map(({ type }) => type)).toEqual(['turn', 'hold', 'turn']);
    expect(stored[0]?.data).toMatchObject({ text: 'It is [card]', redacted: [{ kind: 'card', count: 1 }] });
  });

  it('silences the words of a secret when their times are known, and else the whole turn', () => {
    const { record } = recordOf();
    const text = 'It is 4111 1111 1111 1111 thanks';
    const words = text
      .split(' ')
      .map((word, i) => ({ text: word, start_ms: 1_000 + i * 400, end_ms: 1_350 + i * 400 }));
    const turn = { type: 'turn' as const, role: 'callee' as const, truncated: false, at_ms: 5_000, text };
    record.keep({ ...turn, turn: 1, started_ms: 1_000, ended_ms: 4_000, words });
    record.keep({ ...turn, turn: 2, started_ms: 6_000, ended_ms: 9_000 });
    record.keep({ ...turn, turn: 3, started_ms: 10_000, ended_ms: 11_000, text: '[speech 1.0 s]' });
    void record.close();
    expect(record.silences).toEqual([
      { fromMs: 1_770, toMs: 3_380 },
      { fromMs: 5_700, toMs: 9_300 },
      { fromMs: 9_700, toMs: 11_300 },
    ]);
  });

  it.each([
    ['died with its thread', [], [{ fromMs: 8_700, toMs: Infinity }]],
    ['ended', [{ type: 'ended', at_ms: 12_000, ended_by: 'callee', cause: 'normal_clearing' } as const], []],
  ])('of a session that %s is silent from its first turn without words', async (_, last, silences) => {
    const { record } = recordOf();
    const turn = { role: 'callee' as const, started_ms: 1_000, ended_ms: 2_000, truncated: false };
    record.keep({ type: 'turn_started', at_ms: 1_000, turn: 1, role: 'callee', started_ms: 1_000 });
    record.keep({ ...turn, type: 'turn', at_ms: 2_100, turn: 1, text: 'Good morning.' });
    record.keep({ type: 'turn_started', at_ms: 9_000, turn: 2, role: 'callee', started_ms: 9_000 });
    record.keep({ type: 'turn_started', at_ms: 11_000, turn: 3, role: 'agent', started_ms: 11_000 });
    for (const event of last) record.keep(event);
    await record.close();
    expect(record.silences).toEqual(silences);
  });

  it('of a caller that waited in a queue counts from the answer, as the recording does, and its secrets are silent there', async () => {
    const { record, stored } = recordOf({ joinedMs: 12_000 });
    const said = ['It', 'is', '4111', '1111', '1111', '1111'];
    const words = said.map((text, i) => ({ text, start_ms: 1_000 + i * 400, end_ms: 1_350 + i * 400 }));
    const answer = { endpoint_ms: 200, first_audio_ms: 300, heard_ms: 320 };
    const call = { type: 'tool_call' as const, tool_call_id: 't', name: 'look_up', arguments: {}, result: 1, ok: true };
    const turn = { type: 'turn' as const, truncated: false };
    record.hear({ type: 'turn_started', at_ms: 1_000, turn: 1, role: 'callee', started_ms: 1_000 });
    record.hear({
      ...{ ...turn, at_ms: 3_500, turn: 1, role: 'callee' as const, text: said.join(' ') },
      ...{ started_ms: 1_000, ended_ms: 3_400, words },
    });
    record.hear({ ...call, at_ms: 3_700, started_ms: 3_600, ended_ms: 3_700 });
    const latency = { input_ended_ms: 3_400, ...answer };
    record.hear({
      ...{ ...turn, at_ms: 5_000, turn: 2, role: 'agent' as const, text: 'Thanks.' },
      ...{ started_ms: 4_000, ended_ms: 5_000, latency },
    });
    record.keep({ type: 'dtmf_sent', at_ms: 18_000, digits: '1' });
    await record.close();
    const moved = stored.filter(({ type }) => type !== 'usage').map(({ at, data }) => [at.getTime(), data]);
    expect(moved).toMatchObject([
      [13_000, { at_ms: 13_000, started_ms: 13_000 }],
      [15_500, { at_ms: 15_500, started_ms: 13_000, ended_ms: 15_400, text: 'It is [card]' }],
      [15_700, { at_ms: 15_700, started_ms: 15_600, ended_ms: 15_700 }],
      [17_000, { started_ms: 16_000, ended_ms: 17_000, latency: { input_ended_ms: 15_400, ...answer } }],
      [18_000, { at_ms: 18_000 }],
    ]);
    const path = join(await mkdtemp(join(tmpdir(), 'recording-')), 'call.wav');
    const bytes = 44 + 20_000 * 32;
    await writeFile(path, Buffer.alloc(bytes, 7));
    await silenceRecording({ path, bytes }, record.silences);
    const wav = await readFile(path);
    await rm(dirname(path), { recursive: true });
    const isSilentAt = (ms: number): boolean => wav.readInt32LE(44 + ms * 32) === 0;
    expect([1_900, 13_700, 13_800, 15_300, 15_450].map(isSilentAt)).toEqual([false, false, true, true, false]);
  });
});
