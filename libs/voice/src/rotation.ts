import type { Clock } from './clock.js';
import type { ConversationLog } from './conversation-log.js';
import type { ProviderLink } from './provider-link.js';

const RETRY_MS = 5_000;

/** Takes a new connection before the provider ends the old one, between two turns. */
export class Rotation {
  private isDue = false;
  private isTrying = false;
  private notBefore = -Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly link: ProviderLink,
    private readonly written: ConversationLog,
    private readonly isBetweenTurns: () => boolean,
  ) {}

  /** The connection has little time left. When no good moment comes, it is lost like any other. */
  expiring(): void {
    this.isDue = true;
  }

  /** Another connection is in use than the one that had little time left. */
  settled(): void {
    this.isDue = false;
  }

  /** To be called whenever it may have become quiet. */
  check(): void {
    if (!this.isDue || this.isTrying || this.clock.now() < this.notBefore || !this.isBetweenTurns()) return;
    this.isTrying = true;
    void this.attempt();
  }

  private async attempt(): Promise<void> {
    const told = this.written.length;
    try {
      const rotated = await this.link.rotate(() => this.isBetweenTurns() && this.written.length === told);
      if (rotated) {
        this.settled();
        this.written.write({ type: 'provider_rotated' });
      }
    } catch (error) {
      this.notBefore = this.clock.now() + RETRY_MS;
      const message = error instanceof Error ? error.message : String(error);
      this.written.write({ type: 'error', code: 'rotation_failed', message });
    } finally {
      this.isTrying = false;
    }
  }
}
