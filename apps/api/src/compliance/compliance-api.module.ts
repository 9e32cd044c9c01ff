import { CallsModule } from '@app/calls';
import { Module } from '@nestjs/common';
import { DoNotCallController, ImportLimit } from './do-not-call.controller.js';

@Module({ imports: [CallsModule], controllers: [DoNotCallController], providers: [ImportLimit] })
export class ComplianceApiModule {}
