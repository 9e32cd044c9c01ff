import { describe, expect, it } from '@jest/globals';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { SteppedLine } from '../../test/stepped-line.js';
import { answeredCall, userSpeech } from '../../test/test-call.js';
import { DtmfCollector, passesLuhn } from './keypad.js';
import type { DigitInput } from '../tools/digit-input.js';

describe('DTMF input', () => {
  it.each([
    [['1', '2', '#'], 0, ['12']],
    [['1', '2'], 1900, []],
    [['1', '2'], 2000, ['12']],
    [['#'], 0, ['#']],
    [['1', '#', '2', '#'], 0, ['1', '2']],
    [['*', '9'], 2000, ['*9']],
  ])('the keys %j followed by %d ms without a key are the inputs %j', async (keys, quietMs, inputs) => {
    const line = new SteppedLine();
    const heard: string[] = [];
    const collector = new DtmfCollector(line, (digits) => heard.push(digits));
    keys.forEach((key) => collector.press(key));
    await line.run(quietMs);
    expect(heard).toEqual(inputs);
  });

  it('keys that wait for more are dropped when the call ends', async () => {
    const line = new SteppedLine();
    const heard: string[] = [];
    const collector = new DtmfCollector(line, (digits) => heard.push(digits));
    collector.press('1');
    collector.close();
    await line.run(3000);
    expect(heard).toEqual([]);
  });
});

it.each([
  ['4242424242424242', true],
  ['378282246310005', true],
  ['4242424242424241', false],
  ['0', true],
  ['1', false],
  ['', false],
])('the check digit of "%s" is right: %s', (digits, isRight) => expect(passesLuhn(digits)).toBe(isRight));

const CARD: DigitInput = {
  name: 'card_number',
  prompt: 'Please enter your card number.',
  retryPrompt: 'Please try again.',
  minLength: 12,
  maxLength: 19,
  finishKey: '#',
  timeoutSeconds: 5,
  attempts: 2,
  secure: true,
  validate: 'luhn',
};
const DIGITS = '4242424242424242';

/** A call whose model has asked for digits. */
async function collecting(input: Partial<DigitInput> = {}) {
  const provider = new PuppetProvider();
  const secrets: [string, string][] = [];
  const call = answeredCall({
    provider: () => provider,
    settings: { digitInputs: [{ ...CARD, ...input }] },
    onSecret: (name, digits) => secrets.push([name, digits]),
  });
  await call.line.until(() => provider.connections.length === 1 && provider.last.asked.length === 1, 100);
  provider.last.respond('Hello.', 400);
  await call.line.run(600);
  const ask = (): void =>
    provider.last.emit({
      type: 'tool_call',
      responseId: 'x',
      toolCallId: 't1',
      name: 'collect_digits',
      arguments: '{"name":"card_number"}',
    });
  ask();
  await call.line.run(40);
  const asked = (): string[] => provider.last.asked.flatMap(({ say }) => say ?? []).slice(1);
  const type = async (keys: string): Promise<void> => {
    for (const key of keys) {
      call.line.press(key);
      await call.line.run(200);
    }
  };
  const results = (): string[] => provider.last.calls.filter((one) => one.startsWith('result of'));
  const all = (): string => JSON.stringify([call.events, provider.last.calls, provider.last.asked]);
  return { call, provider, secrets, asked, type, results, all, ask };
}

describe('secret digits', () => {
  it('reach the tools of the account, and neither an event, the provider nor the recording', async () => {
    const { call, provider, secrets, asked, type, results, all } = await collecting();
    expect(asked()).toEqual([CARD.prompt]);
    expect([...call.line.recordingPausedBy]).toEqual(['keys']);
    provider.last.respond(CARD.prompt, 2_000);
    await call.line.run(1_200, await userSpeech(1_200));
    expect(new Set(provider.last.heard)).toEqual(new Set([0xff]));
    await type(`${DIGITS}#`);
    expect(secrets).toEqual([['card_number', DIGITS]]);
    expect(results()).toEqual([expect.stringContaining('{{secure.card_number}}')]);
    expect(call.of('tool_call')).toMatchObject([
      { arguments: { name: 'card_number' }, result: { value: '{{secure.card_number}}' }, ok: true },
    ]);
    expect([...call.of('dtmf_received'), ...call.of('dtmf_input')]).toEqual([]);
    expect(all()).not.toContain(DIGITS.slice(0, 6));
    // The first key stopped the question.
    expect(call.of('interrupted')).toMatchObject([{ by: 'dtmf' }]);
    await call.line.run(600);
    expect([...call.line.recordingPausedBy]).toEqual([]);
  });

  it('end before the latency of the answer to them begins', async () => {
    const { call, provider, type, results } = await collecting();
    provider.last.respond(CARD.prompt, 400);
    await call.line.run(3_000);
    await type(DIGITS);
    const endedMs = call.line.now();
    await type('#');
    await call.line.until(() => results().length === 1, 100);
    await call.line.run(300);
    provider.last.respond('Thank you.', 200);
    await call.line.run(400);
    const answer = call.of('turn').at(-1)!;
    expect(answer).toMatchObject({ text: 'Thank you.', latency: { input_ended_ms: endedMs, endpoint_ms: 0 } });
    expect(answer.latency!.heard_ms).toBeLessThan(600);
    expect(answer.latency).not.toHaveProperty('tools_ms');
  });

  it('stay secret when the user goes on typing after the last accepted one', async () => {
    const { call, secrets, type } = await collecting({ maxLength: 16 });
    await type(`${DIGITS}123`);
    expect(secrets).toHaveLength(1);
    expect([...call.line.recordingPausedBy]).toEqual(['keys']);
    await call.line.run(2_100);
    expect([...call.line.recordingPausedBy]).toEqual([]);
    expect(call.of('dtmf_received')).toEqual([]);
    await type('5#');
    expect(call.of('dtmf_input')).toMatchObject([{ digits: '5' }]);
  });

  it.each([
    ['no key', '', 'no_input', 12_000],
    ['too few keys', '42', 'too_few_digits', 12_000],
    ['a wrong check digit', '4242424242424241#', 'invalid_digits', 12_000],
    ['only the key that ends the input', '#', 'no_input', 12_000],
  ])('after %s are asked for again, then the model gets the reason', async (_, keys, code, ms) => {
    const { call, asked, type, results, all, provider } = await collecting();
    provider.last.respond(CARD.prompt, 100);
    await call.line.run(200);
    await type(keys);
    await call.line.until(() => asked().length === 2, ms);
    expect(asked()).toEqual([CARD.prompt, CARD.retryPrompt]);
    provider.last.respond(CARD.retryPrompt!, 100);
    await call.line.run(200);
    await type(keys);
    await call.line.until(() => results().length === 1, ms);
    expect(results()[0]).toContain(code);
    expect(all()).not.toContain('42424');
    expect(call.of('dtmf_received')).toEqual([]);
  });

  it('begin again with the star key, and pause between two keys as long as the input allows', async () => {
    const { call, secrets, type } = await collecting();
    await type('99*4242');
    await call.line.run(4_000);
    await type('424242424242');
    await call.line.until(() => secrets.length === 1, 6_000);
    expect(secrets).toEqual([['card_number', DIGITS]]);
  });

  it('end with the call, without a timer or a result', async () => {
    const { call, secrets, type, results } = await collecting();
    await type('4242');
    call.session.stop('user_hangup');
    await call.line.run(20_000);
    expect([secrets, results(), call.line.pendingTimers]).toEqual([[], [], 0]);
    expect(JSON.stringify(call.events)).not.toContain('4242');
  });
});

it('digits that are not secret are given to the model, and are events', async () => {
  const { call, secrets, type, results } = await collecting({
    secure: false,
    validate: undefined,
    minLength: 4,
    maxLength: 4,
  });
  await type('1234#');
  expect(results()[0]).toContain('"digits":"1234"');
  expect(
    call
      .of('dtmf_received')
      .map(({ digit }) => digit)
      .join(''),
  ).toBe('1234#');
  expect([secrets, call.of('dtmf_input'), [...call.line.recordingPausedBy]]).toEqual([[], [], []]);
});
