import { Injectable } from '@nestjs/common';
import { OperatorNoticesRepository } from './operator-notices.repository.js';

/** An observation of a process about the installation, for `trunkline doctor`. */
type OperatorNotice = 'untrusted_forwarded_for';

@Injectable()
export class OperatorNoticesService {
  constructor(private readonly notices: OperatorNoticesRepository) {}

  note(notice: OperatorNotice): Promise<void> {
    return this.notices.note(notice);
  }

  /** Of the last day. */
  async recent(): Promise<Set<OperatorNotice>> {
    return new Set((await this.notices.recent()) as OperatorNotice[]);
  }
}
