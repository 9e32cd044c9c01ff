import { beforeAll, describe, expect, it } from '@jest/globals';
import { scriptedPipeline, ScriptedTranscriber } from '../../test/scripted-legs.js';
import { SteppedLine } from '../../test/stepped-line.js';
import { answeredCall, sessionOn, type TestCall } from '../../test/test-call.js';
import {
  framesOf,
  join,
  louder,
  music,
  noisy,
  silence,
  tone,
  voices,
  type Say,
  type Sound,
} from '../../test/user-audio.js';
import type { SessionEnd, SessionEvent } from '../session-events.js';
import type { AnsweringMachineSettings } from '../session-options.js';
import { transcriptOf } from '../transcript/transcript.js';

const GREETING = 'Hello, this is the tea house speaking.';
const MESSAGE = 'This is the tea house. Your tea is ready.';
const WHO = 'This is the tea house, about your order.';
const SCREENS = 'Hi, if you record your name and reason for calling, I will see if this person is available.';
const MENU = 'Thank you for calling the hospital. For appointments, press one. For billing, press two.';
const MAILBOX = 'Hi, you have reached Bob Miller. Please leave a message.';
const BEEP = join(silence(300), tone([1000], 400), silence(400));

let say: Say;
let mailbox: Sound;

beforeAll(async () => {
  say = (await voices()).get('formant')!;
  mailbox = join(silence(300), await say(MAILBOX));
});

interface Heard extends TestCall {
  /** The transcriber reports these words as the latest speech. */
  words(text: string): void;
}

/** `hasWords`: with a transcriber, which reports what the test says. */
function screened(settings: Partial<AnsweringMachineSettings>, hasWords = false): Heard {
  const ear = new ScriptedTranscriber();
  const call = answeredCall({
    settings: { answeringMachine: { onMachine: 'leave_message', message: MESSAGE, ...settings } },
    ...(hasWords && { provider: (line) => scriptedPipeline(line, { transcribers: [ear], models: [] }) }),
  });
  return { ...call, words: (text) => ear.last.final(text, ear.last.sentMs - 600) };
}

/** A sentence of the other party with its words, then silence. */
async function says(call: Heard, text: string, silentMs: number): Promise<void> {
  await hears(call, join(await say(text), silence(200)));
  call.words(text);
  await call.line.run(silentMs);
}

const hears = (call: TestCall, sound: Sound) =>
  call.line.run(Math.ceil(sound.length / 160) * 20, Buffer.concat(framesOf('PCMU', sound)));

const resultsOf = (call: TestCall) =>
  call
    .of('answered_by')
    .map(({ answered_by, reason, answering_machine }) => [answered_by, answering_machine.result, reason]);
const saidBy = (call: TestCall) =>
  transcriptOf(call.events)
    .filter((turn) => turn.role === 'agent')
    .map(({ text }) => text);
const wholeMessages = (call: TestCall) =>
  call.of('turn').filter(({ text, truncated }) => text === MESSAGE && !truncated);
const ended = (call: TestCall) => call.line.until(() => call.end() !== undefined, 90_000);
const saying = (call: TestCall) => call.line.until(() => call.line.agentFrames > 40, 20_000);

describe('call screening', () => {
  const answers = { onScreening: 'answer', screeningMessage: WHO } as const;
  const asked = async (settings: Partial<AnsweringMachineSettings> = {}) => {
    const call = screened({ ...answers, ...settings }, true);
    await call.line.run(300);
    await says(call, SCREENS, 1500);
    await call.line.until(() => saidBy(call).length === 1, 20_000);
    return call;
  };

  it('the agent says who is calling, waits for the person and greets them', async () => {
    const call = await asked();
    expect(call.of('screening_answered')).toMatchObject([{ attempt: 1 }]);
    await says(call, 'Please stay on the line.', 4000);
    expect(saidBy(call)).toEqual([WHO]);
    await says(call, 'Hello?', 1000);
    await call.line.until(() => saidBy(call).length === 2, 20_000);
    expect(saidBy(call)).toEqual([WHO, GREETING]);
    expect(resultsOf(call).slice(-2)).toEqual([
      ['machine', 'screening', 'keywords'],
      ['human', 'human', 'picked_up'],
    ]);
  });

  it('a person who says more than a machine would is greeted as well', async () => {
    const call = await asked();
    await says(
      call,
      'Oh yes, good morning, I have been waiting for you, what about the order I placed last week?',
      1000,
    );
    expect(resultsOf(call).at(-1)).toEqual(['human', 'human', 'picked_up']);
  });

  it('a service that asks again is answered again', async () => {
    const call = await asked();
    await says(call, 'Please say your name and the reason for your call.', 1500);
    await call.line.until(() => saidBy(call).length === 2, 20_000);
    expect(saidBy(call)).toEqual([WHO, WHO]);
  });

  it('a service that takes a message after all gets it', async () => {
    const call = await asked();
    await says(call, 'This person is not available. Please leave a message after the tone.', 1000);
    await hears(call, BEEP);
    await ended(call);
    expect(saidBy(call)).toEqual([WHO, MESSAGE]);
    expect(call.end()?.cause).toBe('message_left');
  });

  it('a service whose person never comes is hung up', async () => {
    const call = await asked();
    await ended(call);
    expect(call.end()?.cause).toBe('answering_machine');
    expect(saidBy(call)).toEqual([WHO]);
  });

  it('with hang_up for machines, the words are awaited, because a screening service is answered', async () => {
    const call = await asked({ onMachine: 'hang_up' });
    expect(saidBy(call)).toEqual([WHO]);
  });

  it('a machine without known words is hung up at the end of its greeting', async () => {
    const call = screened({ ...answers, onMachine: 'hang_up' }, true);
    await says(call, 'This is Bob. I am on a long holiday, far away from my desk and all of you.', 2500);
    expect(call.end()?.cause).toBe('answering_machine');
  });
});

describe('menus and keywords', () => {
  it('a menu is hung up, if so configured', async () => {
    const call = screened({ onIvr: 'hang_up' }, true);
    await says(call, MENU, 500);
    expect(resultsOf(call).at(-1)).toEqual(['machine', 'ivr', 'keywords']);
    expect(call.end()?.cause).toBe('answering_machine');
  });

  it('an agent that goes on talks to a menu', async () => {
    const call = screened({ onMachine: 'hang_up', onIvr: 'go_on' }, true);
    await says(call, MENU, 1500);
    await call.line.until(() => saidBy(call).length > 0, 20_000);
    expect(saidBy(call)[0]).toBe(GREETING);
  });

  it('words of a voicemail raise the confidence, and are the evidence', async () => {
    const [without, withWords] = [screened({}), screened({}, true)];
    for (const call of [without, withWords]) await hears(call, join(mailbox, silence(200)));
    withWords.words(MAILBOX);
    const [first, second] = [without, withWords].map((call) => call.of('answered_by').at(-1)!.answering_machine);
    expect(first).toMatchObject({ result: 'voicemail', evidence: { keywords: [], words: expect.any(Number) } });
    expect(second).toMatchObject({ result: 'voicemail', evidence: { keywords: ['leave a message'] } });
    expect(second!.confidence).toBeGreaterThan(first!.confidence);
  });

  it('a human is greeted once, although the words arrive', async () => {
    const call = screened({}, true);
    await call.line.run(300);
    await says(call, 'Hello?', 6000);
    expect(resultsOf(call)).toEqual([['human', 'human', 'short_greeting']]);
    expect(saidBy(call)).toEqual([GREETING]);
    expect(transcriptOf(call.events)[0]?.text).toBe('Hello?');
  });
});

describe('the time of the message', () => {
  it.each([
    ['after a long greeting', async () => join(mailbox, silence(400), mailbox, silence(400), mailbox, BEEP)],
    ['after music until the beep', async () => join(mailbox, music(20_000), BEEP)],
    [
      'after several beeps',
      async () => join(mailbox, silence(300), ...[1, 2, 3].flatMap(() => [tone([1000], 200), silence(150)]), BEEP),
    ],
  ])('the whole message is said exactly once %s', async (_name, greeting) => {
    const call = screened({});
    await hears(call, await greeting());
    await ended(call);
    expect(wholeMessages(call)).toHaveLength(1);
    expect(call.end()?.cause).toBe('message_left');
  });

  it('a beep during the message starts it again, once', async () => {
    const call = screened({});
    await hears(call, mailbox);
    await saying(call);
    await hears(call, BEEP);
    await ended(call);
    expect(wholeMessages(call)).toHaveLength(1);
    expect(call.of('message_started').map(({ after }) => after)).toEqual(['silence', 'beep']);
  });

  it('a beep 20 s after the greeting gets the message that was said into the silence before', async () => {
    const call = screened({});
    await hears(call, join(mailbox, silence(20_000), BEEP));
    await ended(call);
    expect(call.of('message_started').map(({ after }) => after)).toEqual(['silence', 'beep']);
    expect(saidBy(call).at(-1)).toBe(MESSAGE);
  });

  it('a machine that hangs up after the message has it', async () => {
    const call = screened({});
    await hears(call, mailbox);
    await call.line.until(() => wholeMessages(call).length === 1, 20_000);
    await call.line.run(500);
    call.session.stop('user_hangup');
    await new Promise((resolve) => setImmediate(resolve));
    expect(call.end()).toEqual({ endedBy: 'callee', cause: 'message_left' } satisfies SessionEnd);
  });
});

describe('a person who picks up', () => {
  it('after the greeting of the machine is greeted', async () => {
    const call = screened({});
    await hears(call, join(mailbox, silence(1200), await say('Hello?'), silence(2000)));
    await call.line.until(() => saidBy(call).length > 0, 20_000);
    expect(resultsOf(call).at(-1)).toEqual(['human', 'human', 'picked_up']);
    expect(saidBy(call)).toEqual([GREETING]);
  });

  it.each([['Hello?'], ['Hello, this is Bob.'], ['Yes?']])(
    'during the message with "%s" stops it and is greeted',
    async (words) => {
      const call = screened({});
      await hears(call, join(mailbox, BEEP));
      await saying(call);
      await hears(call, join(await say(words), silence(1200)));
      expect(resultsOf(call).at(-1)).toEqual(['human', 'human', 'picked_up']);
      await call.line.until(() => saidBy(call).includes(GREETING), 20_000);
      expect(call.of('interrupted')).toMatchObject([{ by: 'speech' }]);
      expect(wholeMessages(call)).toEqual([]);
    },
  );

  it('that was a machine after all gets the message after its beep', async () => {
    const call = screened({});
    await hears(call, join(mailbox, silence(1200), await say('Thank you.'), silence(2500), BEEP));
    await ended(call);
    expect(resultsOf(call).map(([by]) => by)).toEqual(['machine', 'human', 'machine']);
    expect(saidBy(call).at(-1)).toBe(MESSAGE);
  });

  it.each([
    ['an echo of the message', async () => louder(await say('This is the tea house.'), -14).subarray(0, 8 * 300)],
    ['noise of the line', async () => noisy(silence(3000), -45)],
    ['a cough', async () => noisy(silence(120), -12)],
  ])('is not mistaken for %s', async (_name, sound) => {
    const call = screened({});
    await hears(call, join(mailbox, BEEP));
    await saying(call);
    await hears(call, await sound());
    await ended(call);
    expect(resultsOf(call).map(([by]) => by)).toEqual(['machine']);
    expect(wholeMessages(call)).toHaveLength(1);
  });
});

describe('audio before the answer', () => {
  /** A call that rings; `given`: it was given up before the answer. */
  const ringing = (settings: Partial<AnsweringMachineSettings> = {}) => {
    const line = new SteppedLine();
    const events: SessionEvent[] = [];
    const call = { line, events, given: undefined as SessionEnd | undefined };
    const session = sessionOn(line, { onMachine: 'hang_up', message: MESSAGE, ...settings }, (event) =>
      events.push(event),
    );
    session.hearEarlyMedia(line, (end) => (call.given = end));
    const hears = (sound: Sound) =>
      line.run(Math.ceil(sound.length / 160) * 20, Buffer.concat(framesOf('PCMU', sound)));
    const answered = () => {
      void session.start(line);
      return () => events.filter((event) => event.type === 'answered_by');
    };
    return Object.assign(call, { hears, answered });
  };
  const intercept = join(tone([950], 330), tone([1400], 330), tone([1800], 330), silence(200));

  it('an intercept is evidence, and the carrier ends the call itself', async () => {
    const call = ringing();
    await call.hears(join(silence(400), intercept, mailbox));
    expect(call.events).toMatchObject([
      {
        type: 'early_media',
        reason: 'intercept',
        answering_machine: { result: 'ivr', evidence: { tone: 'intercept' } },
      },
    ]);
    expect(call.given).toBeUndefined();
  });

  it('a mailbox that beeps without answering is given up', async () => {
    const call = ringing();
    await call.hears(join(mailbox, mailbox, BEEP));
    expect(call.events).toMatchObject([{ type: 'early_media', answering_machine: { result: 'voicemail' } }]);
    expect(call.given).toEqual({ endedBy: 'agent', cause: 'answering_machine' });
  });

  it('a mailbox that answers at its beep gets the message at once', async () => {
    const call = ringing({ onMachine: 'leave_message' });
    await call.hears(join(mailbox, mailbox, BEEP));
    const answers = call.answered();
    await call.line.run(100);
    expect(answers()).toMatchObject([{ answered_by: 'machine', reason: 'beep', ms: 0 }]);
    expect(call.events.filter(({ type }) => type === 'message_started')).toMatchObject([{ after: 'beep' }]);
  });

  it('an announcement that goes on after the answer is recognised earlier', async () => {
    const call = ringing();
    await call.hears(mailbox);
    const answers = call.answered();
    await call.hears(mailbox);
    expect(answers()).toMatchObject([{ answered_by: 'machine', reason: 'long_greeting' }]);
    expect(answers()[0]?.ms).toBeLessThan(1_800);
  });

  it.each([
    ['music', async () => music(8_000)],
    ['ringing', async () => join(tone([425], 1000), silence(4000), tone([425], 1000))],
    ['an announcement', async () => join(mailbox, silence(1000))],
  ])('a person who answers after %s is a person', async (_name, early) => {
    const call = ringing();
    await call.hears(await early());
    const answers = call.answered();
    await call.hears(join(silence(200), await say('Hello, John speaking.'), silence(1000)));
    expect(answers()).toMatchObject([{ answered_by: 'human' }]);
    expect(call.given).toBeUndefined();
  });
});
