import { dataOf } from './answer.js';
import type { Schemas } from './schemas.js';
import type { Trunkline } from './trunkline.js';

/** What calls are asked for with; `To`: one destination, or a list of them. */
export type CallOrder<To extends string | string[] = string> = Omit<Schemas['CreateCallsDto'], 'to_number'> & {
  to_number: To;
};

type PlacedCall = Schemas['ReducedCallDto'];

/** @throws TrunklineError when the order is refused. */
export async function placeCall(client: Trunkline, order: CallOrder): Promise<PlacedCall> {
  return (await dataOf(client.POST('/api/v1/calls', { body: order }))) as PlacedCall;
}

/** A call to each destination of the list, in its order: all of them or none. @throws TrunklineError when the order is refused. */
export async function placeCalls(client: Trunkline, order: CallOrder<string[]>): Promise<PlacedCall[]> {
  return (await dataOf(client.POST('/api/v1/calls', { body: order }))) as PlacedCall[];
}
