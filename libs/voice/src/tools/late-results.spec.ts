import { expect, it } from '@jest/globals';
import type { Clock } from '../clock.js';
import type { ConversationLog } from '../conversation/conversation-log.js';
import { resultIn } from '../providers/realtime-wording.js';
import { LateResults } from './late-results.js';

const call = { type: 'tool_call', responseId: 'r', toolCallId: 't', name: 'look_up', arguments: '{}' } as const;

it('a late result that is too long for the model is cut to valid JSON', () => {
  const log = { write: () => undefined } as unknown as ConversationLog;
  const late = new LateResults({} as Clock, log, () => undefined);
  late.began(call);
  late.add({ toolCallId: 't', status: 'completed', result: { text: '"'.repeat(9_000) } });
  const [{ note } = { note: '' }] = late.take();
  const { output: text } = resultIn(note)!;
  expect(JSON.parse(text)).toMatchObject({ truncated: true });
  expect(text.length).toBeLessThanOrEqual(8_000);
});
