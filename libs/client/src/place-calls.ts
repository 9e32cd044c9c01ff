import { dataOf } from './answer.js';
import type { Schemas } from './schemas.js';
import type { Trunkline } from './trunkline.js';

/** The body of a request for calls; `To`: one destination, or a list of them. */
export type CallOrder<To extends string | string[] = string> = Omit<
  Schemas['CreateCallsDto'],
  'to_number' | 'reject_duplicates'
> & {
  to_number: To;
  /** Whether a list that holds a destination twice is refused: 422, with the index of each repetition in `errors`. */
  reject_duplicates?: boolean;
};

export interface PlaceOptions {
  /**
   * 1 to 255 characters. For 24 hours the same key with the same order returns the first answer and places no second call, so a
   * program that stored the key before the request can repeat it after a crash. Absent: a key of this request only.
   */
  idempotencyKey?: string;
}

type PlacedCall = Schemas['ReducedCallDto'];

/** @throws TrunklineError when the order is refused; 409 when the key belongs to another order. */
export async function placeCall(client: Trunkline, order: CallOrder, options: PlaceOptions = {}): Promise<PlacedCall> {
  return (await dataOf(client.POST('/api/v1/calls', { body: order, ...headersOf(options) }))) as PlacedCall;
}

/**
 * Places a call to each destination of the list, in its order: all of them or none. A list that holds a destination twice is refused
 * unless `reject_duplicates` is false: then each element is a call.
 * @throws TrunklineError when the order is refused; 409 when the key belongs to another order.
 */
export async function placeCalls(
  client: Trunkline,
  order: CallOrder<string[]>,
  options: PlaceOptions = {},
): Promise<PlacedCall[]> {
  const body: CallOrder<string[]> = { reject_duplicates: true, ...order };
  return (await dataOf(client.POST('/api/v1/calls', { body, ...headersOf(options) }))) as PlacedCall[];
}

const headersOf = ({ idempotencyKey }: PlaceOptions) =>
  idempotencyKey === undefined ? {} : { params: { header: { 'Idempotency-Key': idempotencyKey } } };
