import { AccountsModule } from '@app/accounts';
import { Module } from '@nestjs/common';
import { AccountController } from './account.controller.js';
import { NumbersController } from './numbers.controller.js';
import { PhoneNumbersController } from './phone-numbers.controller.js';
import { TrunksController } from './trunks.controller.js';

/** The account, its phone numbers and its trunks. */
@Module({
  imports: [AccountsModule],
  controllers: [AccountController, NumbersController, PhoneNumbersController, TrunksController],
})
export class AccountsApiModule {}
