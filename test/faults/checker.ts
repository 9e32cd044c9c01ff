/** A delivery in the database after a row. */
export interface Committed {
  id: string;
  streamId: string;
  sequence: number;
  body: string;
}

/** A request at the sink, in order of arrival. */
export interface Arrival {
  id: string;
  body: string;
  /** Whether the sink responded with 2xx. */
  accepted: boolean;
  /** Whether the signature was valid. */
  genuine: boolean;
}

export interface Verdict {
  /** Committed, but never accepted with a 2xx. */
  lost: number;
  /** Received again after a 2xx. */
  duplicates: number;
  /** Received before an earlier webhook of the stream was accepted. */
  outOfOrder: number;
  /** A body that differs from the committed one, a wrong signature, or an unknown id. */
  altered: number;
}

/** Compares the log of the sink with the database. */
export function judge(committed: readonly Committed[], arrivals: readonly Arrival[]): Verdict {
  const byId = new Map(committed.map((one) => [one.id, one]));
  const order = new StreamOrder(committed);
  const accepted = new Set<string>();
  const disordered = new Set<string>();
  const verdict = { lost: 0, duplicates: 0, outOfOrder: 0, altered: 0 };
  for (const arrival of arrivals) {
    const known = byId.get(arrival.id);
    if (!known || known.body !== arrival.body || !arrival.genuine) verdict.altered++;
    if (!known) continue;
    if (accepted.has(known.id)) {
      verdict.duplicates++;
      continue;
    }
    if (!order.isNext(known)) disordered.add(known.id);
    if (!arrival.accepted) continue;
    accepted.add(known.id);
    order.accept(known);
  }
  return { ...verdict, lost: committed.length - accepted.size, outOfOrder: disordered.size };
}

/** The webhooks that are not accepted yet, by stream. */
class StreamOrder {
  private readonly open = new Map<string, Committed[]>();

  constructor(committed: readonly Committed[]) {
    for (const one of [...committed].sort((a, b) => a.sequence - b.sequence))
      this.open.set(one.streamId, [...(this.open.get(one.streamId) ?? []), one]);
  }

  isNext(one: Committed): boolean {
    return this.open.get(one.streamId)?.[0] === one;
  }

  accept(one: Committed): void {
    this.open.set(one.streamId, this.open.get(one.streamId)?.filter((other) => other !== one) ?? []);
  }
}
