import { WakeUpsService } from '@app/queue';
import { Inject, Injectable } from '@nestjs/common';
import { type CurrentEmbedder, EmbeddingsService } from '../embed/embeddings.service.js';

/** Passages are found by their words at once; a worker adds their vectors if there is an embedder. */
@Injectable()
export class MissingVectorsService {
  constructor(
    @Inject(EmbeddingsService) private readonly embeddings: CurrentEmbedder,
    private readonly wakeUps: WakeUpsService,
  ) {}

  /** Whether passages get vectors. */
  get areAdded(): boolean {
    return this.embeddings.embedder !== undefined;
  }

  /** Call after the commit that serves passages. Never throws, never delays the caller. */
  announce(): void {
    if (this.areAdded) this.wakeUps.wake('vectors');
  }
}
