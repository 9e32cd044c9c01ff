import type { MediaPort } from '../media/media-port.js';
import type { AudioTask, RunAudioTask } from './audio-task.js';
import { Mailbox } from './mailbox.js';

/**
 * Runs a task in this thread. Everything is cloned as if it went to another one, so that what works here works there.
 * @throws DataCloneError when `init` cannot be cloned
 */
export function startLocalTask(run: RunAudioTask, media: MediaPort, init: unknown, over: AbortSignal): AudioTask {
  const toTask = new Mailbox();
  const fromTask = new Mailbox();
  const given: unknown = structuredClone(init);
  const carryOut = async (): Promise<unknown> =>
    structuredClone(
      await run(media, given, {
        post: (message) => fromTask.deliver(structuredClone(message)),
        onMessage: (listener) => toTask.listen(listener),
        over,
      }),
    );
  return {
    post: (message) => toTask.deliver(structuredClone(message)),
    onMessage: (listener) => fromTask.listen(listener),
    done: carryOut(),
  };
}
