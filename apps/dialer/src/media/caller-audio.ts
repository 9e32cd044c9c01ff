import type { AudioTask, CallLeg, MediaPort, RunAudioTask, TaskChannel } from '@app/telephony';
import { holdMusic, type Speech } from '@app/voice';

/** Name of the audio task that speaks announcements to a caller without an agent, with music between them. */
export const CALLER_AUDIO_TASK = 'caller-audio';

interface CallerAudioInit {
  music: boolean;
}

interface SayToCaller {
  type: 'say';
  id: number;
  text: string;
  language: string | undefined;
}

type ToCaller = SayToCaller | { type: 'stop' };

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
      const player = new CallerPlayer(speech, media, channel, init as CallerAudioInit);
      const stop = (): void => {
        player.stop();
        resolve(undefined);
      };
      channel.onMessage((message) => {
        const command = message as ToCaller;
        if (command.type === 'say') player.say(command);
        else stop();
      });
      channel.over.addEventListener('abort', stop, { once: true });
      player.start();
    });

/** The sound of one caller. */
class CallerPlayer {
  private readonly music: Buffer | undefined;
  private at = 0;
  private plays = false;
  private isOver = false;
  private speaking: Promise<void> = Promise.resolve();

  constructor(
    private readonly speech: Speech,
    private readonly media: MediaPort,
    private readonly channel: TaskChannel,
    { music }: CallerAudioInit,
  ) {
    this.music = music ? holdMusic(media.codec) : undefined;
  }

  start(): void {
    if (!this.music || this.plays || this.isOver) return;
    this.plays = true;
    this.next(this.music);
    this.next(this.music);
  }

  /** One announcement after the other; each is reported at its end. */
  say(command: SayToCaller): void {
    this.speaking = this.announce(this.speaking, command);
  }

  stop(): void {
    this.isOver = true;
    this.plays = false;
    if (!this.channel.over.aborted) this.media.flush();
  }

  private async announce(before: Promise<void>, { id, text, language }: SayToCaller): Promise<void> {
    await before;
    // A voice that cannot say it, or the end of the audio: the call goes on.
    await this.speak(text, language).catch(() => undefined);
    this.channel.post({ said: id } satisfies FromCaller);
    this.start();
  }

  /** The music ends with the first sound of the voice. */
  private async speak(text: string, language: string | undefined): Promise<void> {
    const { media, channel } = this;
    for await (const { audio } of this.speech.say(text, { codec: media.codec, language }, channel.over)) {
      if (this.isOver) return;
      if (this.plays) media.flush();
      this.plays = false;
      media.write(audio);
    }
    if (!this.plays) await media.drained(0);
  }

  private next(music: Buffer): void {
    const piece = music.subarray(this.at, this.at + PIECE_BYTES);
    this.at = (this.at + piece.length) % music.length;
    this.media.write(piece, (isPlayed) => {
      if (isPlayed && this.plays) this.next(music);
    });
  }
}

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
