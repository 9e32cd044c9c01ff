import type { Actor } from '@app/audit';
import { userInfo } from 'node:os';

/** Who sits at the command line, for the audit log: the name the system knows. */
export function operator(): Actor {
  try {
    return { kind: 'cli', id: userInfo().username };
  } catch {
    // A container may run as a user that has no name.
    return { kind: 'cli' };
  }
}
