import { AccountsModule } from '@app/accounts';
import { Module } from '@nestjs/common';
import { AgentsController } from './agents.controller.js';

@Module({ imports: [AccountsModule], controllers: [AgentsController] })
export class AgentsApiModule {}
