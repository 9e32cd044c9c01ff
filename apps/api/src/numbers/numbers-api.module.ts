import { AccountsModule } from '@app/accounts';
import { Module } from '@nestjs/common';
import { NumbersController } from './numbers.controller.js';

@Module({ imports: [AccountsModule], controllers: [NumbersController] })
export class NumbersApiModule {}
