import { randomBranch } from '../../random-ids.js';
import type { Flow } from '../transport/flow.js';
import type { SipRequest, SipResponse } from '../messages/message.js';
import type { PeerAddresses } from '../messages/message-source.js';
import type { ClientUser } from './transaction.js';
import type { UaCore } from '../user-agent/ua-core.js';

/** No final response arrived in time. */
export class NoAnswer extends Error {}

/**
 * Sends a request outside of dialogs (not INVITE) and resolves with its final response. A server with several addresses may respond
 * from another one: that of the flow and those of `peer` are accepted.
 * @throws NoAnswer, or the socket error
 */
export function finalResponse(
  core: Pick<UaCore, 'layer'>,
  request: SipRequest,
  flow: Flow,
  { peer, timeoutMs }: { peer: PeerAddresses; timeoutMs: number },
): Promise<SipResponse> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      transaction.dispose();
      reject(new NoAnswer());
    }, timeoutMs);
    const done = (settle: () => void): void => {
      clearTimeout(timer);
      settle();
    };
    const user: ClientUser = {
      onResponse: (response) => response.status >= 200 && done(() => resolve(response)),
      onFailure: (failure, error) =>
        done(() => reject(failure === 'timeout' ? new NoAnswer() : (error ?? new NoAnswer()))),
    };
    const transaction = core.layer.request(request, flow, user, randomBranch(), { peer });
  });
}
