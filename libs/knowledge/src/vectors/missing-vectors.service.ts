import type { EmbeddingsEnv } from '@app/common';
import { ENV } from '@app/common/settings';
import { WakeUpsService } from '@app/queue';
import { Inject, Injectable } from '@nestjs/common';
import { embeddingSettings } from '../embed/embedding-settings.js';

/** Passages are found by their words at once; a worker adds their vectors if there is an embedder. Opens none itself. */
@Injectable()
export class MissingVectorsService {
  private isConfigured: boolean | undefined;

  constructor(
    @Inject(ENV) private readonly env: EmbeddingsEnv,
    private readonly wakeUps: WakeUpsService,
  ) {}

  /** Whether passages get vectors. */
  get areAdded(): boolean {
    return (this.isConfigured ??= embeddingSettings(this.env) !== undefined);
  }

  /** Call after the commit that serves passages. Never throws, never delays the caller. */
  announce(): void {
    if (this.areAdded) this.wakeUps.wake('vectors');
  }
}
