import { AccountsModule } from '@app/accounts';
import { Module } from '@nestjs/common';
import { AccountController } from './account.controller.js';
import { AgentsController } from './agents.controller.js';
import { NumbersController } from './numbers.controller.js';
import { TrunksController } from './trunks.controller.js';

@Module({
  imports: [AccountsModule],
  controllers: [AccountController, AgentsController, NumbersController, TrunksController],
})
export class AccountsApiModule {}
