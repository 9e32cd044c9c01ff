import type { Actor } from '@app/audit';
import { userInfo } from 'node:os';

/** The actor of a command, for the audit log: the name of the system's user. */
export function operator(): Actor {
  try {
    return { kind: 'cli', id: userInfo().username };
  } catch {
    // A container may run as a user without a name.
    return { kind: 'cli' };
  }
}
