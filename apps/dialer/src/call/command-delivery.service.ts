import { CallCommandsService, type PendingCommand } from '@app/calls';
import { type Log, type PeriodicTask, runPeriodically } from '@app/common';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';

/**
 * The API wakes any one dialer by the queue; others find their commands within this time. One index look-up for all calls of the dialer,
 * whose result is empty without commands.
 */
const POLL_MS = 200;

/** The live calls of a dialer, by id. */
type CommandReceivers = ReadonlyMap<string, { command(command: PendingCommand): void }>;

/** Reads the pending commands of the dialer's calls and passes them to their calls. */
@Injectable()
export class CommandDeliveryService {
  private polling: PeriodicTask | undefined;
  private receivers: CommandReceivers = new Map();
  private owner = '';
  private reading = false;
  private readAgain = false;

  constructor(
    readonly commands: CallCommandsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** `receivers`: the calls that `owner` runs, at any time. */
  start(owner: string, receivers: CommandReceivers): void {
    this.owner = owner;
    this.receivers = receivers;
    this.polling = runPeriodically(POLL_MS, () => this.read(), this.log);
  }

  async stop(): Promise<void> {
    await this.polling?.stop();
  }

  /** There may be commands: a wake-up, or the end of a command. */
  wake(): void {
    this.read().catch((err: unknown) => this.log.error({ err }, 'commands to calls could not be read'));
  }

  private async read(): Promise<void> {
    if (this.reading) {
      this.readAgain = true;
      return;
    }
    this.reading = true;
    try {
      do {
        this.readAgain = false;
        if (this.receivers.size > 0) await this.deliver();
      } while (this.readAgain);
    } finally {
      this.reading = false;
    }
  }

  private async deliver(): Promise<void> {
    for (const command of await this.commands.nextOf(this.owner)) this.receivers.get(command.call_id)?.command(command);
  }
}
