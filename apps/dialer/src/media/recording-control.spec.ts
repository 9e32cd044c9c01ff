import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ToolContext } from '@app/voice';
import { RecordingControl } from './recording-control.js';

describe('a recording that an agent pauses', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  function control() {
    const done: string[] = [];
    const recording = new RecordingControl(
      { pauseRecording: (isPaused) => Promise.resolve(void done.push(isPaused ? 'silent' : 'recorded')) },
      { hideWords: (isHidden) => void done.push(isHidden ? 'hidden' : 'shown') },
    );
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
