import { isTapped, type RunAudioTask, type TaskChannel } from '@app/telephony';

/** Name of the audio task that passes on both directions of a leg. */
export const LISTENING_TASK = 'listening';

/** Name of the audio task that adds a person's voice to what the party of a leg hears. */
export const WHISPER_TASK = 'whisper';

/** `hidden`: also what the recording must not have, for a person who speaks on the call. */
export type ToListening = { type: 'hidden'; isOn: boolean } | { type: 'stop' };

/** 20 ms: 16-bit samples, user and agent alternating. `hidden`: what is really said in a pause of the recording. */
export interface ListenedFrame {
  recorded: Int16Array;
  hidden?: Int16Array;
  rate: 8_000 | 16_000;
}

/** 20 ms of L16 of the person. */
export type ToWhisper = { type: 'voice'; audio: Uint8Array } | { type: 'stop' };

/** Ends with `stop` and with the audio. Rejects when the engine of the leg cannot be listened to. */
export const listeningTask: RunAudioTask = (media, _init, channel) => {
  if (!isTapped(media)) return Promise.reject(new Error('The audio of this engine cannot be listened to.'));
  let isOpen = false;
  const stopTap = media.tap(({ recorded, hidden, rate }) => {
    channel.post({ recorded, rate, ...(isOpen && hidden && { hidden }) } satisfies ListenedFrame);
  });
  return untilStopped(channel, stopTap, (message) => {
    const command = message as ToListening;
    if (command.type === 'hidden') isOpen = command.isOn;
    return command.type === 'stop';
  });
};

export const whisperTask: RunAudioTask = (media, _init, channel) => {
  if (!isTapped(media)) return Promise.reject(new Error('Nobody can speak beside the audio of this engine.'));
  const voice = media.addVoice();
  return untilStopped(
    channel,
    () => voice.remove(),
    (message) => {
      const command = message as ToWhisper;
      if (command.type === 'voice') voice.speak(Buffer.from(command.audio));
      return command.type === 'stop';
    },
  );
};

/** `take` returns whether the message ends the task. */
function untilStopped(channel: TaskChannel, stop: () => void, take: (message: unknown) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      stop();
      resolve();
    };
    channel.onMessage((message) => {
      if (take(message)) end();
    });
    channel.over.addEventListener('abort', end, { once: true });
  });
}
