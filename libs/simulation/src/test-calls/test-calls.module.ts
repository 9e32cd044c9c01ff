import { AccountsModule } from '@app/accounts';
import { CallsModule } from '@app/calls';
import { ToolsModule } from '@app/tools';
import { Module } from '@nestjs/common';
import { SimulationsModule } from '../simulations.module.js';
import { OutsideCallsService } from './outside-calls.service.js';
import { TestCallsService } from './test-calls.service.js';
import { TestedCallsService } from './tested-calls.service.js';

/** Tester callers with a SIP phone. */
@Module({
  imports: [AccountsModule, CallsModule, SimulationsModule, ToolsModule],
  providers: [OutsideCallsService, TestedCallsService, TestCallsService],
})
export class TestCallsModule {}
