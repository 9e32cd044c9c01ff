import { bodyOf, createTrunkline, dataOf, placeCall, placeCalls, type CallOrder, type Schemas } from '@app/client';

export type ApiClient = ReturnType<typeof apiOf>;

/** An account with the default agent and number of requests. */
interface Caller {
  token: string;
  agentId: number;
  numberId: number;
}

type Order<To extends string | string[] = string> = Partial<CallOrder<To>> & { to_number: To };

/** The public API through the published client, without retries. */
export function apiOf({ baseUrl }: { baseUrl: string }, { token, agentId, numberId }: Caller) {
  const client = createTrunkline({ baseUrl, token, retries: 0 });
  const ids = { agent_id: agentId, number_id: numberId };
  const the = (callId: string) => ({ params: { path: { callId } } });
  return {
    ...client,
    createCall: (order: Order) => placeCall(client, { ...ids, ...order }),
    // A test may call one destination many times.
    createCalls: (order: Order<string[]>) => placeCalls(client, { ...ids, reject_duplicates: false, ...order }),
    call: (callId: string) => dataOf(client.GET('/api/v1/calls/{callId}', the(callId))),
    diagnostics: (callId: string) => dataOf(client.GET('/api/v1/calls/{callId}/diagnostics', the(callId))),
    cancel: (callId: string) => dataOf(client.POST('/api/v1/calls/{callId}/cancel', the(callId))),
    createTool: (body: Schemas['CreateToolDto']) =>
      dataOf(client.POST('/api/v1/agents/{agent_id}/tools', { params: { path: { agent_id: agentId } }, body })),
    deleteCall: (callId: string) => bodyOf(client.DELETE('/api/v1/calls/{callId}', the(callId))),
  };
}
