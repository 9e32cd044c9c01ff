import { endSpan, type Span, startSpan } from '@app/common';
import type { ClaimedDocument } from './claim-documents.js';
import type { HeldDocument } from './held-document.js';
import type { ProcessReport } from './process-document.js';

/** One try to process a document is a trace of its own: whoever gave it to us may have done so hours ago. */
export const startDocumentSpan = ({ id, account_id, generation, attempt }: ClaimedDocument): Span | undefined =>
  startSpan('document', {
    kind: 'CONSUMER',
    attributes: {
      'trunkline.knowledge_base_id': id,
      'trunkline.account_id': account_id,
      'trunkline.generation': generation,
      'trunkline.attempt': attempt,
    },
  });

/** `report`: undefined when it was not processed. */
export function endDocumentSpan(span: Span | undefined, { stage }: HeldDocument, report?: ProcessReport): void {
  const { fetch_ms, wait_ms, read_ms, embed_ms, index_ms } = report ?? {};
  const took = { fetch_ms, wait_ms, read_ms, embed_ms, index_ms };
  const attributes = Object.fromEntries(Object.entries(took).map(([name, ms]) => [`trunkline.document.${name}`, ms]));
  if (report) endSpan(span, { attributes });
  else endSpan(span, { failed: true, attributes: { 'trunkline.document.stage': stage ?? undefined } });
}
