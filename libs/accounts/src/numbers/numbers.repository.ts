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
    const skip = (page - 1) * perPage;
    return this.numbers.findAndCount({ where: { accountId }, order: { name: 'ASC' }, take: perPage, skip });
  }
}
