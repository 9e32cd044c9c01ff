import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RecordsModule } from '../records/records.module.js';
import { NumbersRepository } from './numbers.repository.js';
import { NumbersService } from './numbers.service.js';
import { PhoneNumberEntity } from './phone-number.entity.js';

/** Phone numbers of accounts. */
@Module({
  imports: [RecordsModule, TypeOrmModule.forFeature([PhoneNumberEntity])],
  providers: [NumbersRepository, NumbersService],
  exports: [NumbersService],
})
export class NumbersModule {}
