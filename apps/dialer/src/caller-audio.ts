import { type AudioTask, type CallLeg, type RunAudioTask } from '@app/telephony';
import { holdMusic, type Speech } from '@app/voice';

/** Name of the audio task that speaks announcements to a caller without an agent, with music between them. */
export const CALLER_AUDIO_TASK = 'caller-audio';

interface CallerAudioInit {
  music: boolean;
}

type ToCaller = { type: 'say'; id: number; text: string; language: string | undefined } | { type: 'stop' };

/** The announcement was heard, or cannot be spoken. */
interface FromCaller {
  said: number;
}

/** Two pieces are queued: the next one follows when the first was sent. */
const PIECE_BYTES = 8_000;

/** Plays music and announcements until `stop` or the end of the audio. */
export const callerAudioTask =
  (speech: Speech): RunAudioTask =>
  (media, init, channel) =>
    new Promise((resolve) => {
      const loop = (init as CallerAudioInit).music ? holdMusic(media.codec) : undefined;
      let at = 0;
      let isMusicWanted = true;
      let speaking: Promise<unknown> = Promise.resolve();
      const play = (): void => {
        if (!loop || !isMusicWanted) return;
        const piece = loop.subarray(at, at + PIECE_BYTES);
        at = (at + piece.length) % loop.length;
        media.write(piece, (isPlayed) => isPlayed && play());
      };
      const startMusic = (): void => {
        isMusicWanted = true;
        play();
        play();
      };
      const say = async (text: string, language: string | undefined): Promise<void> => {
        for await (const { audio } of speech.say(text, { codec: media.codec, language }, channel.over)) {
          if (isMusicWanted) {
            isMusicWanted = false;
            media.flush();
          }
          media.write(audio);
        }
        if (!isMusicWanted) await media.drained(0);
      };
      const announce = ({ id, text, language }: Extract<ToCaller, { type: 'say' }>): void => {
        speaking = speaking
          .then(() => say(text, language))
          // A voice that cannot say it, or the end of the audio: the call goes on.
          .catch(() => undefined)
          .then(() => {
            channel.post({ said: id } satisfies FromCaller);
            if (!channel.over.aborted && !isMusicWanted) startMusic();
          });
      };
      const stop = (): void => {
        isMusicWanted = false;
        if (!channel.over.aborted) media.flush();
        resolve(undefined);
      };
      channel.onMessage((message) => {
        const command = message as ToCaller;
        if (command.type === 'say') announce(command);
        else stop();
      });
      channel.over.addEventListener('abort', stop, { once: true });
      startMusic();
    });

/** Announcements and music on the leg of a caller that has no agent yet. */
export class CallerAudio {
  private readonly task: AudioTask;
  private readonly saying = new Map<number, () => void>();
  private lastId = 0;

  /** @throws NoMediaYet before the answer and after the end of the leg */
  constructor(leg: CallLeg, init: CallerAudioInit) {
    this.task = leg.attach(CALLER_AUDIO_TASK, init);
    this.task.onMessage((message) => this.settle((message as FromCaller).said));
    // With the audio every announcement is over.
    const over = (): void => [...this.saying.keys()].forEach((id) => this.settle(id));
    this.task.done.then(over, over);
  }

  /** Resolves when the announcement was heard, or cannot be spoken. */
  say(text: string, language: string | undefined): Promise<void> {
    const id = ++this.lastId;
    return new Promise((resolve) => {
      this.saying.set(id, resolve);
      this.post({ type: 'say', id, text, language });
    });
  }

  /** Silence: the agent speaks next. */
  stop(): void {
    this.post({ type: 'stop' });
  }

  private post(message: ToCaller): void {
    this.task.post(message);
  }

  private settle(id: number): void {
    this.saying.get(id)?.();
    this.saying.delete(id);
  }
}
