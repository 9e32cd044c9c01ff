import { AnalysisModule } from '@app/analysis';
import { CallsModule } from '@app/calls';
import { Module } from '@nestjs/common';
import { AnalysesController, CallAnalysesController } from './analyses.controller.js';

@Module({ imports: [AnalysisModule, CallsModule], controllers: [CallAnalysesController, AnalysesController] })
export class AnalysesApiModule {}
