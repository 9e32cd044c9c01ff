import type { MediaPort } from '@app/telephony';
import type { Clock } from './clock.js';
import type { SessionEnd } from './session-events.js';
import type { AgentSpeech } from './agent-speech.js';

/** Silence after the last word before the line is cut, so that the goodbye is not clipped. */
const SETTLE_MS = 150;
/** A response or a queue that stands still (call on hold) must not keep an ending call open. */
const LONGEST_MS = 15_000;

/** The end of a call that waits until what is being said has been heard. From its announcement on nothing interrupts. */
export class CallEnding {
  private end: SessionEnd | undefined;
  private hangingUp = false;
  private cancelTimer: (() => void) | undefined;

  /** `isQuiet`: nothing is being generated or worked on any more; what is queued is waited for here. */
  constructor(
    private readonly media: MediaPort,
    private readonly clock: Clock,
    private readonly isQuiet: () => boolean,
    private readonly finish: (end: SessionEnd) => void,
  ) {}

  get announced(): boolean {
    return this.end !== undefined;
  }

  /** The first announcement counts. The call will end so, but does not yet. */
  announce(end: SessionEnd): void {
    this.end ??= end;
  }

  /** Ends the call when it is quiet. `speechMs`: how long what is still to be generated may take, at most. */
  afterSpeech(end: SessionEnd, speechMs = 0): void {
    this.announce(end);
    this.cancelTimer ??= this.clock.after(this.media.queuedMs + speechMs + LONGEST_MS, () =>
      this.finish(this.end ?? end),
    );
    this.check();
  }

  /** Something has become quiet. */
  check(): void {
    if (!this.end || this.hangingUp || !this.isQuiet()) return;
    this.hangingUp = true;
    void this.hangUp(this.end);
  }

  close(): void {
    this.cancelTimer?.();
  }

  private async hangUp(end: SessionEnd): Promise<void> {
    try {
      await this.media.drained(SETTLE_MS);
      this.finish(end);
    } catch {
      // The port closed under us: the far end was faster.
      this.finish({ endedBy: 'callee', cause: 'normal_clearing' });
    }
  }
}

/** Slow speech. A message that has not been said by then does not come any more. */
const LONGEST_MS_PER_CHARACTER = 150;

/** What an answering machine is to record: said by the provider, or by ourselves when that does not get to its end. */
export class VoicemailMessage {
  /** Until it was said. */
  private text: string | undefined;

  constructor(
    private readonly voice: AgentSpeech,
    private readonly farewell: CallEnding,
    private readonly say: (text: string) => void,
  ) {}

  /** The call ends with it. `hasProvider`: somebody is there to say it. */
  leave(text: string, hasProvider: boolean): void {
    if (this.farewell.announced) return;
    if (this.voice.plays || this.voice.generates) this.voice.stop('machine');
    this.text = text;
    if (hasProvider) this.voice.request({ say: text });
    else this.repeat();
    this.farewell.afterSpeech({ endedBy: 'agent', cause: 'message_left' }, text.length * LONGEST_MS_PER_CHARACTER);
  }

  /** The provider did not get to its end. */
  repeat(): void {
    const { text } = this;
    this.text = undefined;
    if (text !== undefined) this.say(text);
  }
}
