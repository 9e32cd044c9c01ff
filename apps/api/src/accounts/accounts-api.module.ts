import { AccountsModule } from '@app/accounts';
import { Module } from '@nestjs/common';
import { AgentsController } from './agents.controller.js';
import { NumbersController } from './numbers.controller.js';
import { TrunksController } from './trunks.controller.js';

/** Agents, phone numbers and trunks, read-only: `bin/trunkline apply` creates them. */
@Module({ imports: [AccountsModule], controllers: [AgentsController, NumbersController, TrunksController] })
export class AccountsApiModule {}
