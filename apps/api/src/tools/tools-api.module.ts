import { CallsModule } from '@app/calls';
import { ToolsModule } from '@app/tools';
import { Module } from '@nestjs/common';
import { InvokeLimit, InvokeToolController } from './invoke-tool.controller.js';
import { ToolCallsController, ToolInvocationsController } from './tool-invocations.controller.js';
import { ToolsController } from './tools.controller.js';

@Module({
  imports: [CallsModule, ToolsModule],
  controllers: [ToolsController, InvokeToolController, ToolCallsController, ToolInvocationsController],
  providers: [InvokeLimit],
})
export class ToolsApiModule {}
