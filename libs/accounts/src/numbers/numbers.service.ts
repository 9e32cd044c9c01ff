import { isoTime } from '@app/common';
import { Injectable } from '@nestjs/common';
import { NumbersRepository } from './numbers.repository.js';
import type { PhoneNumberEntity } from './phone-number.entity.js';

/** Phone numbers, for the API. They are created and changed by workspace files, see WorkspaceService. */
@Injectable()
export class NumbersService {
  constructor(private readonly numbers: NumbersRepository) {}

  /** A page of the account's phone numbers by name. */
  async list(
    accountId: number,
    place: { page: number; perPage: number },
  ): Promise<{ numbers: NumberView[]; total: number }> {
    const [numbers, total] = await this.numbers.page(accountId, place);
    return { numbers: numbers.map(numberView), total };
  }
}

const numberView = (number: PhoneNumberEntity) => ({
  id: number.id,
  name: number.name,
  e164: number.e164,
  active: number.active,
  agent_id: number.agentId,
  created_at: isoTime(number.createdAt),
  updated_at: isoTime(number.updatedAt),
});

export type NumberView = ReturnType<typeof numberView>;
