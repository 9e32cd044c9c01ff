export interface BatchLimits {
  texts: number;
  /** Estimated as a third of the UTF-8 bytes: too many for English, right for Chinese. */
  tokens: number;
}

/** Neighbours together, as many as the limits allow; a text that is too long is a batch of its own. */
export function textBatches(texts: readonly string[], limits: BatchLimits): string[][] {
  const batches: string[][] = [];
  let open: string[] = [];
  let tokens = 0;
  for (const text of texts) {
    const more = Buffer.byteLength(text) / 3;
    if (open.length > 0 && (open.length === limits.texts || tokens + more > limits.tokens)) {
      batches.push(open);
      open = [];
      tokens = 0;
    }
    open.push(text);
    tokens += more;
  }
  if (open.length > 0) batches.push(open);
  return batches;
}
