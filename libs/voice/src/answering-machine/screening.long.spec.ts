import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  framesOf,
  join,
  music,
  silence,
  spoken,
  tone,
  voices,
  type Sound,
  type Speech,
} from '../../test/user-audio.js';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { answeredCall, type TestCall } from '../../test/test-call.js';
import { transcriptOf } from '../transcript/transcript.js';
import type { AnsweringMachineSettings } from '../session-options.js';

const GREETING = 'Hello, this is the tea house speaking.';
const MESSAGE = 'This is the tea house. Your tea is ready.';
const LONG: Speech = ['Hi, you have reached Bob Miller.', 300, 'Please leave a message after the tone.'];
const BEEP = join(silence(300), tone([1000], 400), silence(400));

let hello: Sound;
let mailbox: Sound;

beforeAll(async () => {
  const say = (await voices()).get('formant')!;
  hello = join(silence(300), await spoken(say, ['Hello?']), silence(1000));
  mailbox = join(silence(300), await spoken(say, LONG));
});

const screened = (settings: Partial<AnsweringMachineSettings>, provider?: PuppetProvider): TestCall =>
  answeredCall({
    settings: { answeringMachine: { onMachine: 'hang_up', message: MESSAGE, ...settings } },
    ...(provider && { provider: () => provider }),
  });

const hears = (call: TestCall, sound: Sound) =>
  call.line.run(Math.ceil(sound.length / 160) * 20, Buffer.concat(framesOf('PCMU', sound)));

const ended = (call: TestCall) => call.line.until(() => call.end() !== undefined, 60_000);
const answersOf = (call: TestCall) => call.of('answered_by').map(({ answered_by, reason }) => [answered_by, reason]);
const saidBy = (call: TestCall, role: 'agent' | 'callee') =>
  transcriptOf(call.events)
    .filter((turn) => turn.role === role)
    .map(({ text }) => text);

describe('a human', () => {
  it('a human who says hello is greeted after it, and the hello is in the transcript', async () => {
    const call = screened({ onMachine: 'leave_message' });
    await hears(call, hello.subarray(0, hello.length - 8000));
    expect(call.line.agentFrames).toBe(0);
    await call.line.until(() => saidBy(call, 'agent').length === 1, 20_000);
    expect(answersOf(call)).toEqual([['human', 'short_greeting']]);
    expect(transcriptOf(call.events).map(({ role, text }) => [role, text])).toEqual([
      ['callee', '[speech 0.4 s]'],
      ['agent', GREETING],
    ]);
  });

  it('a human who says nothing is greeted after 2.5 s', async () => {
    const call = screened({ onMachine: 'hang_up' });
    await call.line.until(() => call.line.agentFrames > 0, 3000);
    expect(call.of('answered_by')).toMatchObject([{ answered_by: 'unknown', reason: 'initial_silence', ms: 2500 }]);
  });

  it('a human who presses a key is greeted at once, then the key is answered', async () => {
    const call = screened({});
    await call.line.run(200);
    call.line.press('5');
    await call.line.until(() => saidBy(call, 'agent').length === 2, 20_000);
    expect(answersOf(call)).toEqual([['human', 'key_pressed']]);
    expect(saidBy(call, 'agent')).toEqual([GREETING, 'You pressed the key 5.']);
  });

  it('no idle prompt is said before the first word', async () => {
    const call = answeredCall({
      settings: { idle: { afterMs: 500 }, answeringMachine: { onMachine: 'hang_up', message: '' } },
    });
    await call.line.run(2400);
    expect(call.of('idle_prompt')).toEqual([]);
  });
});

describe('a machine', () => {
  it('with hang_up, a machine is disconnected without a word', async () => {
    const call = screened({ onMachine: 'hang_up' });
    await hears(call, join(mailbox, BEEP));
    expect(call.end()).toEqual({ endedBy: 'agent', cause: 'answering_machine' });
    expect(call.line.agentFrames).toBe(0);
    expect(answersOf(call)).toEqual([['machine', 'long_greeting']]);
    expect(call.line.pendingTimers).toBe(0);
  });

  it('a machine gets exactly the message after its beep, then the call ends', async () => {
    const call = screened({ onMachine: 'leave_message' });
    await hears(call, join(mailbox, BEEP.subarray(0, 700 * 8)));
    expect(call.line.agentFrames).toBe(0);
    await ended(call);
    expect(call.end()).toEqual({ endedBy: 'agent', cause: 'message_left' });
    expect(saidBy(call, 'agent')).toEqual([MESSAGE]);
    expect(call.of('beep')).toMatchObject([{ frequencies_hz: [1000], duration_ms: 400 }]);
    expect(call.of('message_started')).toMatchObject([{ after: 'beep' }]);
    expect(saidBy(call, 'callee')[0]).toMatch(/^\[speech [34]\.\d s\]$/);
  });

  it('a machine that talks over the message gets the whole message afterwards', async () => {
    const call = screened({ onMachine: 'leave_message' });
    await hears(call, join(mailbox, BEEP, mailbox));
    await ended(call);
    expect(call.of('turn').filter(({ role, truncated }) => role === 'agent' && !truncated)).toMatchObject([
      { text: MESSAGE },
    ]);
    expect(saidBy(call, 'agent').at(-1)).toBe(MESSAGE);
    expect(call.end()?.cause).toBe('message_left');
  });

  it('a machine without a beep gets the message after 3 s of silence', async () => {
    const call = screened({ onMachine: 'leave_message' });
    await hears(call, mailbox);
    const silentFrom = call.line.now();
    await call.line.until(() => call.of('message_started').length > 0, 10_000);
    expect(call.of('message_started')).toMatchObject([{ after: 'silence' }]);
    expect(call.line.now() - silentFrom).toBeGreaterThanOrEqual(2900);
    expect(call.line.now() - silentFrom).toBeLessThanOrEqual(3100);
  });

  it('a machine that never stops gets the message at the wait limit', async () => {
    const call = screened({ onMachine: 'leave_message', waitForBeepSeconds: 4 });
    await hears(call, music(8000));
    expect(call.of('message_started')).toMatchObject([{ after: 'wait_limit' }]);
    const [known] = call.of('answered_by');
    expect(call.of('message_started')[0]!.at_ms - known!.at_ms).toBe(4000);
  });

  it('with go_on, the agent talks to a machine and the provider is notified', async () => {
    const provider = new PuppetProvider();
    const call = screened({ onMachine: 'go_on' }, provider);
    await hears(call, mailbox.subarray(0, 3500 * 8));
    expect(answersOf(call)).toEqual([['machine', 'long_greeting']]);
    expect(provider.last.calls).toEqual(['system: An answering machine picked up.']);
    expect(provider.last.asked).toEqual([{ say: GREETING }]);
  });

  it('a machine that was silent at first is recognised by its beep and gets the message', async () => {
    const call = screened({ onMachine: 'leave_message' });
    await call.line.run(3000);
    expect(call.line.agentFrames).toBeGreaterThan(0);
    await hears(call, BEEP);
    await ended(call);
    expect(answersOf(call)).toEqual([
      ['unknown', 'initial_silence'],
      ['machine', 'beep'],
    ]);
    expect(saidBy(call, 'agent').at(-1)).toBe(MESSAGE);
    expect(call.end()?.cause).toBe('message_left');
  });

  it('a fax or an intercept announcement gets no message', async () => {
    const call = screened({ onMachine: 'leave_message' });
    await hears(call, join(silence(500), tone([2100], 3000)));
    expect(answersOf(call)).toEqual([['machine', 'fax']]);
    expect(call.end()).toEqual({ endedBy: 'agent', cause: 'answering_machine' });
  });
});

describe('the provider during answering machine detection', () => {
  const machineBeeped = async (provider: PuppetProvider) => {
    const call = screened({ onMachine: 'leave_message' }, provider);
    await hears(call, join(mailbox, BEEP));
    return call;
  };

  it('speech that the provider starts before the answer is classified is not played', async () => {
    const provider = new PuppetProvider();
    const call = screened({ onMachine: 'hang_up' }, provider);
    await call.line.run(100);
    provider.last.respond('Who is there?', 500);
    await call.line.run(1000);
    expect(call.line.agentFrames).toBe(0);
    expect(provider.last.calls).toEqual(['cancel']);
  });

  it('only the message is requested from the provider', async () => {
    const provider = new PuppetProvider();
    await machineBeeped(provider);
    expect(provider.last.asked).toEqual([{ say: MESSAGE }]);
  });

  it.each([
    ['before the first word of the message', 0],
    ['during the message', 600],
  ])('a provider that is connected %s is not asked to greet', async (moment, afterMs) => {
    const provider = new PuppetProvider();
    let connect!: () => void;
    provider.opening = new Promise((resolve) => (connect = resolve));
    // Not in the cache of sentences: its synthesis takes a while.
    const message = `Please call back ${moment}.`;
    const call = screened({ onMachine: 'leave_message', message }, provider);
    await hears(call, mailbox);
    await call.line.until(() => call.of('message_started').length > 0, 10_000);
    await call.line.run(afterMs);
    connect();
    await ended(call);
    expect(provider.last.asked).toEqual([]);
    expect(saidBy(call, 'agent')).toEqual([message]);
    expect(call.end()?.cause).toBe('message_left');
  });

  it('a message that a lost provider did not finish is repeated with the local voice', async () => {
    const provider = new PuppetProvider();
    const call = await machineBeeped(provider);
    provider.last.begin(MESSAGE, 200);
    await call.line.run(100);
    provider.last.emit({ type: 'closed', reason: 'gone' });
    await ended(call);
    expect(saidBy(call, 'agent').at(-1)).toBe(MESSAGE);
    expect(call.end()?.cause).toBe('message_left');
  });

  it('the local voice speaks the message when the provider fails', async () => {
    const provider = new PuppetProvider();
    const call = await machineBeeped(provider);
    provider.last.emit({ type: 'response_started', responseId: 'r' });
    provider.last.emit({ type: 'response_done', responseId: 'r', status: 'failed' });
    await ended(call);
    expect(saidBy(call, 'agent')).toEqual([MESSAGE]);
  });
});
