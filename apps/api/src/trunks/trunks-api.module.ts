import { AccountsModule } from '@app/accounts';
import { Module } from '@nestjs/common';
import { TrunksController } from './trunks.controller.js';

@Module({ imports: [AccountsModule], controllers: [TrunksController] })
export class TrunksApiModule {}
