import { dataOf } from './answer.js';
import type { PlaceOptions } from './place-calls.js';
import type { Schemas } from './schemas.js';
import type { Trunkline } from './trunkline.js';

/** The body of `POST /calls/{callId}/commands`. */
export type CallCommand = Schemas['CallCommandDto'];

/**
 * Sends a command to a live call. Resolves when it is queued; the events `command_done`, `command_failed` and `command_not_executed` of the
 * call report its outcome. @throws TrunklineError for an error response; 409 if the call is not in progress.
 */
export function sendCommand(
  client: Trunkline,
  callId: string,
  command: CallCommand,
  { idempotencyKey }: PlaceOptions = {},
): Promise<Schemas['CommandDto']> {
  const header = idempotencyKey === undefined ? {} : { header: { 'Idempotency-Key': idempotencyKey } };
  const params = { path: { callId }, ...header };
  return dataOf(client.POST('/api/v1/calls/{callId}/commands', { params, body: command }));
}
