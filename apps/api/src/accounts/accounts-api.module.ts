import { AccountsModule } from '@app/accounts';
import { SimulationsModule } from '@app/agents';
import { Module } from '@nestjs/common';
import { AgentPreviewController } from './agent-preview.controller.js';
import { AgentsController } from './agents.controller.js';
import { NumbersController } from './numbers.controller.js';
import { TrunksController } from './trunks.controller.js';

/** Agents, phone numbers and trunks, read-only: `bin/trunkline apply` creates them. */
@Module({
  imports: [AccountsModule, SimulationsModule],
  controllers: [AgentsController, AgentPreviewController, NumbersController, TrunksController],
})
export class AccountsApiModule {}
