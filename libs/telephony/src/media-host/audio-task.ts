import { encode } from '../media/codecs/g711.js';
import type { G711, MediaPort } from '../media/session/media-port.js';
import { ringback } from '../media/signals/tones.js';

/** A task on a leg's audio, in the thread of the audio: frames never cross threads, messages do. */
export interface AudioTask {
  /** To the task; structured-cloneable, in order. */
  post(message: unknown): void;
  /** From the task, in order; earlier messages wait for the listener. */
  onMessage(listener: (message: unknown) => void): void;
  /** The result of the task. Rejects with its error, or with AudioLost when its thread died. */
  readonly done: Promise<unknown>;
}

/** The task's side of its messages. */
export interface TaskChannel {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Aborts when the leg's audio has ended; the task may go on to finish its work. */
  readonly over: AbortSignal;
}

/** Runs one task. `init` and all messages are structured-cloneable. Must not block: all audio of the thread would stop. */
export type RunAudioTask = (media: MediaPort, init: unknown, channel: TaskChannel) => Promise<unknown>;

/** The available tasks by name. */
export type TaskKinds = Readonly<Record<string, RunAudioTask>>;

/** The audio of a leg is lost because its thread died. */
export class AudioLost extends Error {
  constructor() {
    super('The media thread of the call has ended.');
    this.name = 'AudioLost';
  }
}

/** No task of this kind is registered in the thread of the audio. */
export class UnknownAudioTask extends Error {
  constructor(kind: string) {
    super(`No audio task is registered as "${kind}".`);
    this.name = 'UnknownAudioTask';
  }
}

/**
 * Runs a task in this thread. Messages are cloned as if they crossed threads, so that tasks behave the same in both.
 * @throws DataCloneError when `init` cannot be cloned
 */
export function runLocalTask(run: RunAudioTask, media: MediaPort, init: unknown, over: AbortSignal): AudioTask {
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

/** Messages in one direction; they wait until there is a listener. */
export class Mailbox {
  private listener: ((message: unknown) => void) | undefined;
  private waiting: unknown[] = [];

  deliver(message: unknown): void {
    if (this.listener) this.listener(message);
    else this.waiting.push(message);
  }

  /** Sets the listener; only the last one gets messages. */
  listen(listener: (message: unknown) => void): void {
    this.listener = listener;
    for (const message of this.waiting.splice(0)) listener(message);
  }
}

/** Name of the audio task that plays ringback to the remote party; it ends with its first message. */
export const RINGBACK_TASK = 'ringback';

/** Another cycle is queued when less than this is left. */
const AHEAD_MS = 500;

/** Plays ringback until a message arrives or the audio ends. */
export const ringbackTask: RunAudioTask = loopTask((codec) => encode(codec, ringback()));

/** Plays the same audio again and again until a message arrives or the audio ends. */
export function loopTask(audio: (codec: G711) => Buffer): RunAudioTask {
  return (media, _init, channel) => playLoop(media, audio(media.codec), channel);
}

const playLoop = (media: MediaPort, cycle: Buffer, channel: TaskChannel): Promise<unknown> =>
  new Promise((resolve) => {
    const next = (): void => {
      if (media.queuedMs < AHEAD_MS) media.write(cycle);
    };
    const stopFrames = media.onFrame(next);
    next();
    const stop = (): void => {
      stopFrames();
      media.flush();
      resolve(undefined);
    };
    channel.onMessage(stop);
    channel.over.addEventListener('abort', stop, { once: true });
  });
