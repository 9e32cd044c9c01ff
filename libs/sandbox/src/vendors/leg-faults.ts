import { z } from 'zod';

const occurrence = {
  /** Only in this request or connection of the script; 1 is the first. */
  in_request: z.int().min(1).max(1_000).optional(),
  /** Only in this many requests or connections, from the first; absent: in all. */
  requests: z.int().min(1).max(1_000).optional(),
};
const progress = {
  /** After this much: milliseconds of received (transcriber) or sent audio (synthesizer), or parts of the text (model). */
  after: z.int().min(0).max(3_600_000).default(0),
};

/** A failure that an emulated vendor produces on purpose. */
const legFault = z.discriminatedUnion('do', [
  /** Delays the first result. */
  z.strictObject({ do: z.literal('slow'), delay_ms: z.int().min(0).max(60_000), ...occurrence }),
  z.strictObject({ do: z.literal('disconnect'), ...progress, ...occurrence }),
  /** Sends nothing any more; the connection stays open. */
  z.strictObject({ do: z.literal('stall'), ...progress, ...occurrence }),
  z.strictObject({ do: z.literal('garbage'), ...progress, ...occurrence }),
  z.strictObject({
    do: z.literal('refuse'),
    status: z.union([z.literal(400), z.literal(401), z.literal(500), z.literal(503)]).default(503),
    ...occurrence,
  }),
  z.strictObject({
    do: z.literal('rate_limit'),
    retry_after_seconds: z.int().min(0).max(600).default(1),
    ...occurrence,
  }),
]);

type LegFault = z.infer<typeof legFault>;

const faults = z.array(legFault).max(50).default([]);

/** What the emulated vendors of a pipeline do: the recognised words of the user's utterances in order, and the faults of each leg. */
export const legsSchema = z.strictObject({
  /** Later utterances are `[speech 1.2 s]`: the sandbox does not recognise words. */
  hears: z.array(z.string().max(2_000)).max(500).default([]),
  transcriber: faults,
  model: faults,
  synthesizer: faults,
});

export type LegKindName = 'transcriber' | 'model' | 'synthesizer';

/** The faults of one request or connection of a leg. */
export class LegFaults {
  private readonly faults: LegFault[];

  /** `request`: 1 is the first one of the script. */
  constructor(all: readonly LegFault[], request: number) {
    this.faults = all.filter(
      ({ in_request: only, requests: first }) =>
        (only === undefined || only === request) && (first === undefined || request <= first),
    );
  }

  /** The HTTP status of a refusal; `retryAfterSeconds` with 429. */
  get refusal(): { status: number; retryAfterSeconds?: number } | undefined {
    for (const fault of this.faults) {
      if (fault.do === 'refuse') return { status: fault.status };
      if (fault.do === 'rate_limit') return { status: 429, retryAfterSeconds: fault.retry_after_seconds };
    }
    return undefined;
  }

  /** The delay of the first result. */
  get delayMs(): number {
    return this.faults.reduce((sum, fault) => sum + (fault.do === 'slow' ? fault.delay_ms : 0), 0);
  }

  /** The next fault that is due after this progress; each fault happens once. */
  due(done: number): 'disconnect' | 'stall' | 'garbage' | undefined {
    const at = this.faults.findIndex((fault) => 'after' in fault && fault.after <= done);
    const [fault] = at < 0 ? [] : this.faults.splice(at, 1);
    return fault && 'after' in fault ? fault.do : undefined;
  }
}
