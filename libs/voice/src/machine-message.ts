import type { AgentVoice } from './agent-voice.js';
import type { Farewell } from './farewell.js';

/** Slow speech. A message that has not been said by then does not come any more. */
const LONGEST_MS_PER_CHARACTER = 150;

/** What an answering machine is to record: said by the provider, or by ourselves when that does not get to its end. */
export class MachineMessage {
  /** Until it was said. */
  private text: string | undefined;

  constructor(
    private readonly voice: AgentVoice,
    private readonly farewell: Farewell,
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
