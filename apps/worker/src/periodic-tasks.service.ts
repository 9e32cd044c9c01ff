import { type Env, type Log, type PeriodicTask, runPeriodically } from '@app/common';
import { CallReleaseService } from '@app/calls';
import { ENV, LOG } from '@app/common/settings';
import { copyFolder, REMOVE_PARTS_MS, removeLeftParts, storageFolder, uploadFolder } from '@app/storage';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { MonitoringService } from './monitoring.service.js';

const MONITORING_MS = 15_000;

/**
 * What each process does for itself, so that no job can do it for another one: its metrics, the files on its machine, and scheduled calls,
 * which are released on time. Everything else that is repeated is a job (SweepsProcessor).
 */
@Injectable()
export class PeriodicTasksService implements OnModuleInit, OnModuleDestroy {
  private tasks: PeriodicTask[] = [];

  constructor(
    private readonly releases: CallReleaseService,
    private readonly monitoring: MonitoringService,
    @Inject(ENV) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const { monitoring, log } = this;
    await this.removeLeftParts();
    this.tasks = [
      this.releases.start(),
      runPeriodically(REMOVE_PARTS_MS, () => this.removeLeftParts(), log),
      runPeriodically(MONITORING_MS, () => monitoring.readDatabase(), log),
    ];
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  /** Removes partial uploads and partial copies to the storage that killed processes left on this machine. */
  private async removeLeftParts(): Promise<void> {
    await removeLeftParts(uploadFolder(this.env.TRUNKLINE_HOME));
    const root = storageFolder(this.env);
    if (root !== undefined) await removeLeftParts(copyFolder(root));
  }
}
