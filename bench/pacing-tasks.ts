import { setTimeout as elapsed } from 'node:timers/promises';
import type { RunAudioTask, TaskKinds } from '@app/telephony';
import { SendTimes, type SendTimesResult } from './send-times.js';

/** Echoes audio until it ends. */
const echo: RunAudioTask = (media, _init, channel) => {
  media.onFrame((frame) => media.write(frame));
  return new Promise((resolve) => channel.over.addEventListener('abort', () => resolve(undefined)));
};

/** Audio tasks of the bench; `measure` returns the SendTimesResult of its whole thread over `init` milliseconds. */
export function pacingTasks(): TaskKinds {
  const times = new SendTimes();
  const measure: RunAudioTask = async (_media, init): Promise<SendTimesResult> => {
    times.start(init as number);
    await elapsed(init as number);
    return times.stop();
  };
  return { echo, measure };
}
