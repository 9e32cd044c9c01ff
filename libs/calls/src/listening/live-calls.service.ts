import { NotFound } from '@app/common';
import { Injectable } from '@nestjs/common';
import { type CarriedCall, LiveCallsRepository } from './live-calls.repository.js';

/** Where the audio of live calls is. */
@Injectable()
export class LiveCallsService {
  constructor(private readonly calls: LiveCallsRepository) {}

  /** Throws NotFound when the account has no such call. */
  async find(accountId: number, callId: string): Promise<CarriedCall> {
    const found = await this.calls.find(accountId, callId);
    if (!found) throw new NotFound('Call');
    return found;
  }
}
