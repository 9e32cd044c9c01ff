import { Slots } from '../http/slots.js';

const MOST_PER_ACCOUNT = 4;

/** Admits uploads. One costs a connection, 64 KB buffers and disk. */
export class UploadSlots extends Slots {
  constructor() {
    super({
      most: 16,
      mostPerAccount: MOST_PER_ACCOUNT,
      accountIsFull: `Only ${MOST_PER_ACCOUNT} files can be uploaded at once. Wait for one to finish.`,
      processIsFull: 'Too many uploads at the moment. Try again.',
    });
  }
}
