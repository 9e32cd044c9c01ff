import type { Clock } from '../../clock.js';
import { Watchdog } from '../socket/watchdog.js';
import type { ProviderEvent } from '../voice-provider.js';

/** Without another word for so long, the callee has said what it wanted. */
const PAUSE_MS = 1_200;

/** Words of the callee come in pieces without turns; a turn is what comes without a pause. */
export class CalleeStretches {
  private count = 0;
  private current: { itemId: string; text: string; endMs: number } | undefined;
  private readonly pause: Watchdog;

  constructor(
    clock: Clock,
    private readonly emit: (event: ProviderEvent) => void,
  ) {
    this.pause = new Watchdog(clock, PAUSE_MS, () => this.end());
  }

  words(text: string, startMs: number, endMs: number): void {
    if (!this.current) {
      this.current = { itemId: `heard-${++this.count}`, text: '', endMs };
      this.emit({ type: 'speech_started', itemId: this.current.itemId, audioMs: startMs });
    }
    this.current.text += text;
    this.current.endMs = endMs;
    this.pause.feed();
  }

  close(): void {
    this.pause.stop();
  }

  private end(): void {
    if (!this.current) return;
    const { itemId, text, endMs } = this.current;
    this.current = undefined;
    this.emit({ type: 'speech_stopped', itemId, audioMs: endMs });
    this.emit({ type: 'callee_text', itemId, text: text.trim() });
  }
}
