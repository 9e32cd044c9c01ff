import type { G711 } from './media-port.js';
import { silentFrame } from './silent-frame.js';
import { ToneKeys } from './tone-keys.js';

/** What a far end says, out of what comes from it: audible keys, and its music while it has us on hold, are silence. */
export class SaidAudio {
  private keys: ToneKeys | undefined;

  constructor(
    private readonly law: G711,
    private readonly onKey: (digit: string, durationMs: number) => void,
  ) {}

  /** The frame, or silence. `held`: by the far end. `listensForKeys`: it has no other way to send them. */
  of(frame: Buffer, held: boolean, listensForKeys: boolean): Buffer {
    const isKey = listensForKeys && this.toneKeys.hear(frame);
    if (!listensForKeys) this.keys?.reset();
    return isKey || held ? silentFrame(this.law) : frame;
  }

  private get toneKeys(): ToneKeys {
    this.keys ??= new ToneKeys(this.law, this.onKey);
    return this.keys;
  }
}
