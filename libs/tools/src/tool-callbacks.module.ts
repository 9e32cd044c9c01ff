import { Module } from '@nestjs/common';
import { ToolCallbacksRepository } from './tool-callbacks.repository.js';

/** The callbacks of background tools: tools open them, and calls take their reports. */
@Module({ providers: [ToolCallbacksRepository], exports: [ToolCallbacksRepository] })
export class ToolCallbacksModule {}
