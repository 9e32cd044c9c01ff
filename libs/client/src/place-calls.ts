import { dataOf } from './answer.js';
import type { Schemas } from './schemas.js';
import type { Trunkline } from './trunkline.js';

/** Destinations of one request: an object has `metadata` and `variables` for its call alone. */
export type Destinations = (string | Schemas['DestinationDto'])[];

/** The body of `POST /calls`; `To`: one destination or a list. */
export type CallOrder<To extends string | Destinations = string> = Omit<
  Schemas['CreateCallsDto'],
  'to_number' | 'reject_duplicates'
> & {
  to_number: To;
  /** Whether to reject a list with duplicate destinations: 422 with the index of each duplicate in `errors`. */
  reject_duplicates?: boolean;
};

export interface PlaceOptions {
  /**
   * 1 to 255 characters. For 24 hours, a request with the same key and body returns the first response and creates no calls, so a
   * program that stored the key before the request can repeat it after a crash. Default: a random key per request.
   */
  idempotencyKey?: string;
}

type PlacedCall = Schemas['ReducedCallDto'];

/** Creates one call. @throws TrunklineError for an error response; 409 if the key was used with another body. */
export async function placeCall(client: Trunkline, order: CallOrder, options: PlaceOptions = {}): Promise<PlacedCall> {
  return (await dataOf(client.POST('/api/v1/calls', { body: order, ...headersOf(options) }))) as PlacedCall;
}

/**
 * Creates one call per destination, in order, all or none. Errors of an object in the list are keyed `to_number.<index>.<field>`. A list with duplicates is rejected unless `reject_duplicates` is false.
 * @throws TrunklineError for an error response; 409 if the key was used with another body.
 */
export async function placeCalls(
  client: Trunkline,
  order: CallOrder<Destinations>,
  options: PlaceOptions = {},
): Promise<PlacedCall[]> {
  const body: CallOrder<Destinations> = { reject_duplicates: true, ...order };
  return (await dataOf(client.POST('/api/v1/calls', { body, ...headersOf(options) }))) as PlacedCall[];
}

const headersOf = ({ idempotencyKey }: PlaceOptions) =>
  idempotencyKey === undefined ? {} : { params: { header: { 'Idempotency-Key': idempotencyKey } } };
