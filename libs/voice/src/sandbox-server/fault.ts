import { z } from 'zod';

const ms = z.int().min(0).max(3_600_000);
const count = z.int().min(1).max(1_000);

/** When a fault comes: once per connection, as soon as all that is said here holds. */
const moment = {
  /** So long after the connection was opened. */
  after_ms: ms.optional(),
  /** When so many responses are done. */
  after_response: count.optional(),
  /** While this response of the connection is made; 1 is the first. */
  in_response: count.optional(),
  /** In the middle of it: when so much of its audio was sent. */
  after_audio_ms: ms.optional(),
  /** Only on so many connections, from the first; absent: on all. */
  connections: count.optional(),
};

/** Something that goes wrong on purpose. */
const faultSchema = z
  .discriminatedUnion('do', [
    z.strictObject({ do: z.literal('disconnect'), ...moment }),
    z.strictObject({ do: z.literal('error'), ...moment }),
    z.strictObject({ do: z.literal('garbage'), ...moment }),
    z.strictObject({ do: z.literal('expire'), ...moment }),
    z.strictObject({ do: z.literal('rate_limit'), ...moment }),
    /** What was on its way when a response was cancelled still comes, after its end too. */
    z.strictObject({ do: z.literal('late_deltas'), connections: count.optional() }),
    z.strictObject({
      do: z.literal('slow_audio'),
      delay_ms: ms,
      in_response: count.optional(),
      connections: count.optional(),
    }),
    z.strictObject({
      do: z.literal('refuse'),
      status: z.union([z.literal(401), z.literal(429), z.literal(500), z.literal(503)]).default(503),
      connections: count.optional(),
    }),
  ])
  .refine((fault) => !('do' in fault && needsMoment(fault)), {
    message: 'say when: after_ms, after_response, in_response or after_audio_ms',
  });

const MOMENTS = ['after_ms', 'after_response', 'in_response', 'after_audio_ms'];
const ALWAYS = new Set(['late_deltas', 'slow_audio', 'refuse']);

const needsMoment = (fault: { do: string }): boolean => !ALWAYS.has(fault.do) && !MOMENTS.some((name) => name in fault);

export type Fault = z.infer<typeof faultSchema>;
export type TimedFault = Exclude<Fault, { do: 'late_deltas' | 'slow_audio' | 'refuse' }>;

export const faultsSchema = z.array(faultSchema).max(50);
