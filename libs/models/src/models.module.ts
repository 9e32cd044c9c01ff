import { Module } from '@nestjs/common';
import { TextModels } from './text-models.service.js';

/** Text models that answer by a JSON Schema: for analyses of calls, judges and personas. */
@Module({ providers: [TextModels], exports: [TextModels] })
export class ModelsModule {}
