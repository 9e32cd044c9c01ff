import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Raw, Repository } from 'typeorm';
import { OperatorNoticeEntity } from './operator-notice.entity.js';

@Injectable()
export class OperatorNoticesRepository {
  constructor(@InjectRepository(OperatorNoticeEntity) private readonly notices: Repository<OperatorNoticeEntity>) {}

  async note(name: string): Promise<void> {
    await this.notices.upsert({ name, noticedAt: () => 'now()' }, ['name']);
  }

  /** Of the last day. */
  async recent(): Promise<string[]> {
    const noticedAt = Raw((column) => `${column} > now() - interval '1 day'`);
    return (await this.notices.findBy({ noticedAt })).map(({ name }) => name);
  }
}
