import { type Env, runPeriodically, type Log, type PeriodicTask } from '@app/common';
import { openUploadFolder, REMOVE_PARTS_MS, removeLeftParts } from '@app/storage';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';

/** Where uploads are written to while they come in, with the task that removes parts of killed processes. */
@Injectable()
export class UploadFolder implements OnModuleDestroy {
  private constructor(
    readonly path: string,
    private readonly removing: PeriodicTask,
  ) {}

  static async open(env: Env, log: Log): Promise<UploadFolder> {
    const path = await openUploadFolder(env.TRUNKLINE_HOME);
    return new UploadFolder(
      path,
      runPeriodically(REMOVE_PARTS_MS, () => removeLeftParts(path), log),
    );
  }

  onModuleDestroy(): Promise<void> {
    return this.removing.stop();
  }
}
