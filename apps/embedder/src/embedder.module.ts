import type { Env, Log } from '@app/common';
import { ENV, LOG } from '@app/common/settings';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { EmbeddingModelService } from './embedding-model.service.js';
import { EmbeddingsController } from './embeddings.controller.js';
import { OpenAiErrorsFilter } from './openai-errors.filter.js';

/** The composition root of the embedder: one model behind OpenAI's embeddings API. It needs no database and no secret. */
@Module({})
export class EmbedderModule {
  static forRoot(env: Env, log: Log): DynamicModule {
    return {
      module: EmbedderModule,
      controllers: [EmbeddingsController],
      providers: [
        { provide: ENV, useValue: env },
        { provide: LOG, useValue: log },
        { provide: APP_FILTER, useClass: OpenAiErrorsFilter },
        EmbeddingModelService,
      ],
    };
  }
}
