import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/**
 * Spec files of 10 s and more, longest first. Jest knows durations only after a first run; on a fresh clone it sorts by file size, and a long
 * test in a small file would start last, with no other file to run in parallel.
 */
export const LONG = [
  'test/calls-story.e2e-spec.ts',
  'test/start.e2e-spec.ts',
  'test/faults-short.e2e-spec.ts',
  'test/console.e2e-spec.ts',
  'test/inbound-story.e2e-spec.ts',
  'test/knowledge-faults.e2e-spec.ts',
  'test/transfer-story.e2e-spec.ts',
  'test/trunk-limits.e2e-spec.ts',
  'test/interop/bad-network.e2e-spec.ts',
  'test/api-process.e2e-spec.ts',
  'test/call-events.e2e-spec.ts',
  'test/media-threads.e2e-spec.ts',
  'test/interop/baresip.e2e-spec.ts',
  'test/realtime-agent.e2e-spec.ts',
  'libs/telephony/src/sip/fuzz.spec.ts',
  'libs/sandbox/src/phone/sandbox-phone.spec.ts',
  'libs/voice/src/answering-machine/answer-detector.spec.ts',
  'libs/telephony/src/media/fuzz.spec.ts',
  'libs/telephony/src/sip/session-timer.spec.ts',
  'libs/voice/src/real-line.spec.ts',
  'libs/telephony/src/sip/lossy-network.spec.ts',
];

/** Sorts LONG first, then as Jest does, by duration or size. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => place(one) - place(other));
  }
}

/** @param {{ path: string, context: { config: { rootDir: string } } }} test */
function place({ path, context }) {
  const place = LONG.indexOf(relative(context.config.rootDir, path));
  return place < 0 ? LONG.length : place;
}
