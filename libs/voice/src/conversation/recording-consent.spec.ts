import { describe, expect, it } from '@jest/globals';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { answeredCall, userSpeech } from '../../test/test-call.js';
import type { RecordingConsentSettings, SessionSettings } from '../session-options.js';

const GREETING = 'Hello, this is the tea house speaking.';
const QUESTION = 'May we record this call?';

/** An answered call whose recording waits for consent. */
async function begun(consent: Partial<RecordingConsentSettings>, settings: Partial<SessionSettings> = {}) {
  const provider = new PuppetProvider();
  const recordingConsent: RecordingConsentSettings = {
    mode: 'ask',
    message: QUESTION,
    acceptKeys: '1',
    onRefusal: 'continue_without_recording',
    ...consent,
  };
  const call = answeredCall({ provider: () => provider, settings: { recordingConsent, ...settings } });
  const says = (): (string | undefined)[] => provider.last.asked.map(({ say }) => say);
  const isRecorded = (): boolean => call.line.recordingPausedBy.size === 0;
  const results = (): string[] => call.of('recording_consent').map(({ result }) => result);
  await call.line.until(() => provider.connections.length === 1, 200);
  return { call, provider, says, isRecorded, results };
}

type Begun = Awaited<ReturnType<typeof begun>>;

/** The message was asked for and is spoken for this time. */
async function asked({ call, provider, says }: Begun, ms = 1_000): Promise<void> {
  await call.line.until(() => says().length === 1, 200);
  expect(says()).toEqual([QUESTION]);
  provider.last.respond(QUESTION, ms);
  await call.line.run(ms + 100);
}

const toolCall = (agrees: boolean) =>
  ({
    type: 'tool_call',
    responseId: 'answer',
    toolCallId: 't1',
    name: 'recording_consent',
    arguments: JSON.stringify({ agrees }),
  }) as const;

describe('consent to the recording', () => {
  it('an announcement is heard completely before the greeting, and the recording begins after it', async () => {
    const talk = await begun({ mode: 'announce' });
    const { call, provider, says, isRecorded, results } = talk;
    await call.line.until(() => says().length === 1, 200);
    provider.last.respond(QUESTION, 2_000);
    await call.line.run(1_200, await userSpeech(1_200));
    call.line.press('5');
    await call.line.run(200);
    expect([call.of('interrupted'), isRecorded(), says()]).toEqual([[], false, [QUESTION]]);
    expect(new Set(provider.last.heard)).toEqual(new Set([0xff]));
    await call.line.until(() => isRecorded(), 1_000);
    await call.line.run(40);
    expect([results(), says()]).toEqual([['announced'], [QUESTION, GREETING]]);
  });

  it.each([
    ['1', 'accepted', true],
    ['2', 'refused', false],
  ])('the key %s to the question is %s, and the agent greets', async (key, result, recorded) => {
    const talk = await begun({});
    await asked(talk);
    talk.call.line.press(key);
    await talk.call.line.run(40);
    expect([talk.results(), talk.isRecorded(), talk.says()]).toEqual([[result], recorded, [QUESTION, GREETING]]);
    await talk.call.line.run(3_000);
    // The key was the answer, no input for the agent.
    expect(talk.call.of('dtmf_input')).toEqual([]);
  });

  it('a key may interrupt the question', async () => {
    const talk = await begun({});
    await talk.call.line.until(() => talk.says().length === 1, 200);
    talk.provider.last.respond(QUESTION, 3_000);
    await talk.call.line.run(1_500);
    talk.call.line.press('1');
    await talk.call.line.run(200);
    expect([talk.results(), talk.isRecorded(), talk.says()]).toEqual([['accepted'], true, [QUESTION, GREETING]]);
    expect(talk.call.of('interrupted')).toMatchObject([{ by: 'dtmf' }]);
  });

  it('silence is a refusal, before the idle prompt of the agent', async () => {
    const talk = await begun({});
    await asked(talk);
    await talk.call.line.run(8_100);
    expect([talk.results(), talk.isRecorded(), talk.says()]).toEqual([['no_answer'], false, [QUESTION, GREETING]]);
    expect(talk.call.of('idle_prompt')).toEqual([]);
  });

  it.each([
    [true, 'accepted'],
    [false, 'refused'],
  ])('words are understood by the model: agrees %s is %s, and only the greeting follows', async (agrees, result) => {
    const talk = await begun({});
    await asked(talk);
    expect(talk.provider.last.calls.join()).toContain('recording_consent');
    talk.provider.last.emit({ type: 'response_started', responseId: 'answer' });
    talk.provider.last.emit(toolCall(agrees));
    await talk.call.line.run(40);
    talk.provider.last.emit({ type: 'response_done', responseId: 'answer', status: 'completed' });
    await talk.call.line.run(40);
    expect([talk.results(), talk.isRecorded(), talk.says()]).toEqual([[result], agrees, [QUESTION, GREETING]]);
    talk.provider.last.respond(GREETING, 400);
    await talk.call.line.run(600);
    expect(talk.says()).toHaveLength(2);
    // Later the tool changes nothing.
    talk.provider.last.emit({ ...toolCall(!agrees), toolCallId: 't2' });
    await talk.call.line.run(40);
    expect([talk.results(), talk.provider.last.calls.at(-1)]).toEqual([[result], expect.stringContaining('not_asked')]);
  });

  it('a refusal ends the call after its words, when the agent is to hang up', async () => {
    const talk = await begun({ onRefusal: 'hang_up', refusalMessage: 'Then goodbye.' });
    await asked(talk);
    talk.call.line.press('3');
    await talk.call.line.run(40);
    expect(talk.says()).toEqual([QUESTION, 'Then goodbye.']);
    talk.provider.last.respond('Then goodbye.', 300);
    await talk.call.line.until(() => talk.call.end() !== undefined, 2_000);
    expect(talk.call.end()).toEqual({ endedBy: 'agent', cause: 'recording_refused' });
    expect(talk.isRecorded()).toBe(false);
  });

  it.each([
    ['before the question', 0, 'not_asked'],
    ['before the answer', 1_000, 'no_answer'],
  ])('a call that ends %s is not recorded', async (_, ms, result) => {
    const talk = await begun({ onRefusal: 'hang_up' });
    if (ms > 0) await asked(talk, ms);
    talk.call.session.stop('user_hangup');
    await talk.call.line.run(20_000);
    expect([talk.results(), talk.isRecorded(), talk.call.line.pendingTimers]).toEqual([[result], false, 0]);
  });

  it('a machine does not consent: it hears no question, and its message is not recorded', async () => {
    const answeringMachine = { onMachine: 'leave_message', message: 'Please call back.' } as const;
    const { call, says, isRecorded, results, provider } = await begun({}, { answeringMachine });
    await call.line.run(6_000, await userSpeech(6_000));
    await call.line.until(() => says().length === 1, 20_000);
    expect(says()).toEqual(['Please call back.']);
    provider.last.respond('Please call back.', 500);
    await call.line.until(() => call.end() !== undefined, 40_000);
    expect([results(), isRecorded()]).toEqual([['not_asked'], false]);
  });

  it('the local voice speaks a message in another language', async () => {
    const { call, says, isRecorded } = await begun({ mode: 'announce', language: 'de' });
    await call.line.until(() => isRecorded(), 20_000);
    await call.line.run(40);
    expect(says()).toEqual([GREETING]);
    expect(call.of('turn')).toMatchObject([{ role: 'agent', text: QUESTION }]);
  });
});
