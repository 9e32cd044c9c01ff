import { CallWordsService, type RunningTurn } from '@app/calls';
import { type Log, type PeriodicTask, runPeriodically } from '@app/common';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';

const WRITE_MS = 400;
/** How often the dialer looks which of its calls are watched. */
const WATCHED_MS = 1_200;

/**
 * The words of running turns of this dialer's calls. Only those of watched calls are written, for all calls in one statement; without
 * a stream the cost is one look-up every 1.2 s for all calls with words.
 */
@Injectable()
export class LiveWordsService {
  private readonly running = new Map<string, Map<number, RunningTurn>>();
  private readonly changed = new Set<string>();
  private watched = new Set<string>();
  private lookAt = 0;
  private writing: PeriodicTask | undefined;

  constructor(
    private readonly words: CallWordsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  start(): void {
    this.writing = runPeriodically(WRITE_MS, () => this.write(), this.log);
  }

  async stop(): Promise<void> {
    await this.writing?.stop();
  }

  spoken(callId: string, words: RunningTurn): void {
    const turns = this.running.get(callId) ?? new Map<number, RunningTurn>();
    this.running.set(callId, turns.set(words.turn, words));
    this.changed.add(callId);
  }

  /** The turn event has all words. */
  turnEnded(callId: string, turn: number): void {
    if (this.running.get(callId)?.delete(turn)) this.changed.add(callId);
  }

  /** The call is over. */
  async forget(callId: string): Promise<void> {
    this.running.delete(callId);
    this.changed.delete(callId);
    if (!this.watched.delete(callId)) return;
    try {
      await this.words.remove([callId]);
    } catch (err) {
      this.log.warn({ err, call_id: callId }, 'the last words of a call were not deleted');
    }
  }

  private async write(): Promise<void> {
    if (this.running.size > 0 && performance.now() >= this.lookAt) await this.look();
    const due = [...this.changed].filter((id) => this.watched.has(id));
    if (due.length === 0) return;
    this.changed.clear();
    await this.words.write(new Map(due.map((id) => [id, [...(this.running.get(id)?.values() ?? [])]])));
  }

  private async look(): Promise<void> {
    this.lookAt = performance.now() + WATCHED_MS;
    const before = this.watched;
    const found = await this.words.watchedOf([...this.running.keys()]);
    // A call may have ended meanwhile.
    this.watched = new Set(found.filter((id) => this.running.has(id)));
    for (const id of this.watched) if (!before.has(id)) this.changed.add(id);
  }
}
