import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { StoredRecordingConsent } from '@app/agents';
import type { ToolContext } from '@app/voice';
import { consentFor, RecordingControl } from './recording-control.js';

const CONSENT: StoredRecordingConsent = {
  mode: 'ask',
  message: 'May we record?',
  prefixes: [],
  accept_keys: '1',
  on_refusal: 'continue_without_recording',
};

describe('the consent that a call needs', () => {
  const call = { direction: 'outbound', to_number: '+4930111', from_number: '+15550001', record: true } as const;
  it.each([
    [[], call, true],
    [['+49'], call, true],
    [['+1', '+43'], call, false],
    [['+1'], { ...call, direction: 'inbound' as const }, true],
    [['+49'], { ...call, to_number: 'sip:+4930111222@pbx.example.com' }, true],
    [['+1'], { ...call, to_number: 'sip:+4930111222@pbx.example.com' }, false],
    // Unknown numbers may be from anywhere.
    [['+49'], { ...call, to_number: 'sip:reception@pbx.example.com' }, true],
    [['+49'], { ...call, direction: 'inbound' as const, from_number: 'anonymous' }, true],
    [[], { ...call, record: false }, false],
  ])('for the prefixes %j and the call %j is needed: %s', (prefixes, given, isNeeded) => {
    const consent = { ...CONSENT, prefixes };
    expect(consentFor({ ...given, recording_consent: consent })).toEqual(isNeeded ? consent : undefined);
  });

  it('is none without the setting', () => expect(consentFor({ ...call, recording_consent: null })).toBeUndefined());
});

describe('a recording that an agent pauses', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  function control() {
    const done: string[] = [];
    const recording = new RecordingControl({
      pauseRecording: (isPaused) => Promise.resolve(void done.push(isPaused ? 'silent' : 'recorded')),
      hideWords: (isHidden) => void done.push(isHidden ? 'hidden' : 'shown'),
    });
    const [pause, resume] = recording.tools();
    return { done, recording, pause: run(pause!), resume: run(resume!) };
  }
  const run =
    (tool: ReturnType<RecordingControl['tools']>[number]) =>
    (args: Record<string, unknown> = {}) =>
      tool.run(args, {} as ToolContext);

  it('hides words before the audio is silent, and shows them after it is recorded again', async () => {
    const { done, pause, resume } = control();
    expect([await pause(), await resume()]).toEqual([{ paused: true }, { paused: false }]);
    expect(done).toEqual(['hidden', 'silent', 'recorded', 'shown']);
  });

  it.each([
    [{}, 300],
    [{ seconds: 20 }, 20],
  ])('with %j continues by itself after %d seconds', async (args, seconds) => {
    const { done, pause } = control();
    await pause(args);
    await jest.advanceTimersByTimeAsync(seconds * 1_000 - 1);
    expect(done).toEqual(['hidden', 'silent']);
    await jest.advanceTimersByTimeAsync(1);
    expect(done).toEqual(['hidden', 'silent', 'recorded', 'shown']);
  });

  it('is not resumed by the agent while an operator pauses it, nor by the time of an earlier pause', async () => {
    const { done, recording, pause, resume } = control();
    await pause({ seconds: 20 });
    await recording.pause(true);
    await expect(resume()).rejects.toMatchObject({ code: 'paused_by_operator' });
    await jest.advanceTimersByTimeAsync(60_000);
    expect(done).toEqual(['hidden', 'silent', 'hidden', 'silent']);
    await recording.pause(false);
    expect(done.slice(4)).toEqual(['recorded', 'shown']);
  });

  it('leaves no timer after the call', async () => {
    const { recording, pause } = control();
    await pause();
    recording.close();
    expect(jest.getTimerCount()).toBe(0);
  });
});
