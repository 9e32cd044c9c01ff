import { orAborted } from '@app/common';

/** So many requests of one process go to one host at once; the others wait in line. */
export class HostTurns {
  private readonly hosts = new Map<string, { busy: number; line: (() => void)[] }>();

  constructor(private readonly perHost: number) {}

  /** Resolves with what ends the turn. Throws the signal's reason; the place in the line is then given up. */
  async take(host: string, signal: AbortSignal): Promise<() => void> {
    const turns = this.hosts.get(host) ?? { busy: 0, line: [] };
    this.hosts.set(host, turns);
    if (turns.busy < this.perHost) turns.busy++;
    else await this.inLine(turns.line, signal);
    return () => this.end(host, turns);
  }

  private async inLine(line: (() => void)[], signal: AbortSignal): Promise<void> {
    let called: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => (called = resolve));
    line.push(called);
    try {
      await orAborted(turn, signal);
    } catch (error) {
      const place = line.indexOf(called);
      if (place >= 0) line.splice(place, 1);
      throw error;
    }
  }

  /** The turn goes to the next in the line, so `busy` stays as it is. */
  private end(host: string, turns: { busy: number; line: (() => void)[] }): void {
    const next = turns.line.shift();
    if (next) return next();
    if (--turns.busy === 0) this.hosts.delete(host);
  }
}
