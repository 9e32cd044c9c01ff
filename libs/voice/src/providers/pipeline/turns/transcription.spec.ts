import { expect, it } from '@jest/globals';
import { ScriptedTranscriber } from '../../../../test/scripted-legs.js';
import { TestClock } from '../../../../test/test-clock.js';
import { LegChain } from '../legs.js';
import type { Transcriber } from '../ports.js';
import { Transcription } from './transcription.js';

const FRAME = Buffer.alloc(160, 0x10);
const ERROR = { type: 'error' as const, code: 'server_error', message: 'Sorry.' };

/** A stream that has reported a beginning of speech, with a second of audio that has no words. */
async function spokenInto() {
  const clock = new TestClock();
  const ear = new ScriptedTranscriber();
  const errors: string[] = [];
  const listener = {
    heard: () => undefined,
    usage: () => undefined,
    error: (code: string) => void errors.push(code),
    failed: (error: unknown) => void errors.push(String(error)),
  };
  const { signal } = new AbortController();
  const wanted = { audio: { codec: 'PCMU', rate: 8_000 } as const, language: 'en', languages: ['en'], keywords: [] };
  const legs = new LegChain<Transcriber>('transcriber', [ear], clock);
  const transcription = new Transcription(legs, wanted, clock, listener, signal);
  await transcription.open(signal);
  for (let frame = 0; frame < 50; frame++) transcription.send(FRAME);
  const begin = clock.now();
  ear.last.emit({ type: 'speech_started', atMs: 500 });
  clock.advance(500);
  return { transcription, ear, errors, clock, begin };
}

const reopened = async (ear: ScriptedTranscriber, clock: TestClock): Promise<void> => {
  for (let turn = 0; ear.streams.length < 2 && turn < 20; turn++) {
    clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
};

it('speech without words is noise for a transcriber that lives', async () => {
  const { transcription, begin } = await spokenInto();
  expect(transcription.suspect(begin)).toBe(false);
});

it('speech without words after an error of the transcriber is heard again by another stream', async () => {
  const { transcription, ear, begin, errors, clock } = await spokenInto();
  ear.last.emit(ERROR);
  expect(transcription.suspect(begin)).toBe(true);
  await reopened(ear, clock);
  expect([ear.streams.length, ear.last.sentMs]).toEqual([2, 1_000]);
  expect(errors).toEqual(['server_error', 'transcriber_lost']);
});

it('a transcriber that has lost words is replaced at once', async () => {
  const { ear, errors, clock } = await spokenInto();
  ear.last.emit({ ...ERROR, losesWords: true });
  await reopened(ear, clock);
  expect([ear.streams.length, ear.last.sentMs]).toEqual([2, 1_000]);
  expect(errors).toEqual(['server_error', 'transcriber_lost']);
});
