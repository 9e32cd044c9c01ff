import { AnalysisModule } from '@app/call-analysis';
import { CallsModule } from '@app/calls';
import { Module } from '@nestjs/common';
import { AnalysesController, CallAnalysesController } from './analyses.controller.js';

@Module({ imports: [AnalysisModule, CallsModule], controllers: [CallAnalysesController, AnalysesController] })
export class AnalysesApiModule {}
