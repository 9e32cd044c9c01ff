import { CallsModule } from '@app/calls';
import { ToolsModule } from '@app/tools';
import { Module } from '@nestjs/common';
import { InvokeLimit, InvokeToolController } from './invoke-tool.controller.js';
import { McpServerLimit, McpServersController } from './mcp-servers.controller.js';
import { ToolCallbacksController } from './tool-callbacks.controller.js';
import { ToolCallsController, ToolInvocationsController } from './tool-invocations.controller.js';
import { ToolsController } from './tools.controller.js';

@Module({
  imports: [CallsModule, ToolsModule],
  controllers: [
    ToolsController,
    McpServersController,
    InvokeToolController,
    ToolCallsController,
    ToolInvocationsController,
    ToolCallbacksController,
  ],
  providers: [InvokeLimit, McpServerLimit],
})
export class ToolsApiModule {}
