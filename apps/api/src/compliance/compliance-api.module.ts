import { CallsModule } from '@app/calls';
import { Module } from '@nestjs/common';
import { TableFormInterceptor } from '../http/uploads/table-form.js';
import { UploadsModule } from '../http/uploads/uploads.service.js';
import { DoNotCallController, ImportLimit } from './do-not-call.controller.js';

@Module({
  imports: [CallsModule, UploadsModule],
  controllers: [DoNotCallController],
  providers: [ImportLimit, TableFormInterceptor],
})
export class ComplianceApiModule {}
