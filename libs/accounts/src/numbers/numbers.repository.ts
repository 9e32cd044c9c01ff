import { entityPage } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { PhoneNumberEntity } from './phone-number.entity.js';

@Injectable()
export class NumbersRepository {
  constructor(@InjectRepository(PhoneNumberEntity) private readonly numbers: Repository<PhoneNumberEntity>) {}

  /** By name. */
  page(
    accountId: number,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<[PhoneNumberEntity[], number]> {
    const numbers = this.numbers.createQueryBuilder('number').where({ accountId }).orderBy('number.name');
    return entityPage(numbers, { limit: perPage, offset: (page - 1) * perPage });
  }
}
