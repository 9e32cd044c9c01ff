import type { TransferMode } from '@app/agents';
import { type AudioTask, type CallLeg, RINGBACK_TASK } from '@app/telephony';
import { HOLD_MUSIC_TASK } from '../agent/agent-messages.js';

/** What the remote party hears while a transfer is tried: ringing, or music when the other person is briefed first. */
export class WaitingTone {
  private task?: AudioTask;

  /** Further destinations continue the tone of the first. */
  play(leg: CallLeg, mode: TransferMode): void {
    this.task ??= leg.attach(mode === 'cold' ? RINGBACK_TASK : HOLD_MUSIC_TASK, {});
  }

  stop(): void {
    this.task?.post('stop');
    this.task = undefined;
  }
}
