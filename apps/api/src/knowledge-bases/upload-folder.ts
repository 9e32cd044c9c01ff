import { type Env, type Log, type PeriodicTask, runPeriodically } from '@app/common';
import { ENV, LOG } from '@app/settings';
import { openUploadFolder, REMOVE_PARTS_MS, removeLeftParts, uploadFolder } from '@app/storage';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

/** Where uploads are written to while they come in, with the task that removes parts of killed processes. */
@Injectable()
export class UploadFolder implements OnModuleInit, OnModuleDestroy {
  readonly path: string;
  private removing: PeriodicTask | undefined;

  constructor(
    @Inject(ENV) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.path = uploadFolder(env.TRUNKLINE_HOME);
  }

  async onModuleInit(): Promise<void> {
    await openUploadFolder(this.env.TRUNKLINE_HOME);
    this.removing = runPeriodically(REMOVE_PARTS_MS, () => removeLeftParts(this.path), this.log);
  }

  async onModuleDestroy(): Promise<void> {
    await this.removing?.stop();
  }
}
