import { AccountsModule } from '@app/accounts';
import { Module } from '@nestjs/common';
import { NumbersController } from './numbers.controller.js';
import { TrunksController } from './trunks.controller.js';

/** Phone numbers and trunks, read-only: `bin/trunkline apply` creates them. */
@Module({ imports: [AccountsModule], controllers: [NumbersController, TrunksController] })
export class AccountsApiModule {}
