import type { G711 } from '@app/telephony';
import type { ConversationLog } from './conversation-log.js';
import type { Playback } from './playback.js';
import type { Speech } from './speech/speech.js';

const PREFIX = 'own-';

/** What the session says by itself, beside the provider. */
export class OwnSpeech {
  private count = 0;

  constructor(
    private readonly speech: Speech,
    private readonly playback: Playback,
    private readonly written: ConversationLog,
  ) {}

  /** Queues the whole text; resolves when it is queued, or early when it was stopped. */
  async say(text: string, codec: G711, language: string | undefined, signal: AbortSignal): Promise<void> {
    const turn = ++this.count;
    const itemId = PREFIX + turn;
    for await (const sentence of this.speech.say(text, { codec, language }, signal)) {
      if (turn !== this.count) return;
      this.written.agentText(itemId, `${sentence.text} `);
      this.playback.append(itemId, sentence.audio);
    }
    this.playback.complete(itemId);
  }

  /** Does not queue what is still to come of a text. */
  stop(): void {
    this.count++;
  }

  said(itemId: string): boolean {
    return itemId.startsWith(PREFIX);
  }
}
