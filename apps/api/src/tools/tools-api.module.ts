import { CallsModule } from '@app/calls';
import { ToolsModule } from '@app/tools';
import { Module } from '@nestjs/common';
import { InvokeLimit } from './invoke-limit.js';
import { InvokeToolController } from './invoke-tool.controller.js';
import { ToolCallsController } from './tool-calls.controller.js';
import { ToolInvocationsController } from './tool-invocations.controller.js';
import { ToolsController } from './tools.controller.js';

@Module({
  imports: [CallsModule, ToolsModule],
  controllers: [ToolsController, InvokeToolController, ToolCallsController, ToolInvocationsController],
  providers: [InvokeLimit],
})
export class ToolsApiModule {}
