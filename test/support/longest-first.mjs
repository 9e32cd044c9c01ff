import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/**
 * Spec files of 10 s (unit) or 20 s (end to end) and more, longest first. Jest knows durations only after a first run; on a fresh clone it sorts by file size, and a long
 * test in a small file would start last, with no other file to run in parallel.
 */
export const LONG = [
  'test/start.e2e-spec.ts',
  'test/call-commands.e2e-spec.ts',
  'test/outside-agents.e2e-spec.ts',
  'test/campaign-calls.e2e-spec.ts',
  'test/calls-story.e2e-spec.ts',
  'test/faults-short.e2e-spec.ts',
  'test/console.e2e-spec.ts',
  'test/integrate.e2e-spec.ts',
  'test/knowledge-faults.e2e-spec.ts',
  'test/pre-call-webhook.e2e-spec.ts',
  'test/knowledge-refresh.e2e-spec.ts',
  'test/knowledge-story.e2e-spec.ts',
  'test/inbound-story.e2e-spec.ts',
  'test/silent-callees.e2e-spec.ts',
  'test/knowledge-held-refreshes.e2e-spec.ts',
  'test/agent-variables.e2e-spec.ts',
  'test/knowledge-held-crawls.e2e-spec.ts',
  'test/transfer-story.e2e-spec.ts',
  'test/mcp-story.e2e-spec.ts',
  'test/agent-knowledge.e2e-spec.ts',
  'test/console-account.e2e-spec.ts',
  'test/lost-recordings.e2e-spec.ts',
  'test/console-agents.e2e-spec.ts',
  'test/knowledge-crawl.e2e-spec.ts',
  'test/realtime-agent.e2e-spec.ts',
  'test/contract.e2e-spec.ts',
  'test/interop/registrations.e2e-spec.ts',
  'test/swagger-ui.e2e-spec.ts',
  'test/interop/baresip.e2e-spec.ts',
  'test/api-process.e2e-spec.ts',
  'test/interop/bad-network.e2e-spec.ts',
  'test/metrics-story.e2e-spec.ts',
  'test/tracing.e2e-spec.ts',
  'test/agent-versions-story.e2e-spec.ts',
  'test/interop/flood.e2e-spec.ts',
  'test/call-events.e2e-spec.ts',
  'test/isolation.e2e-spec.ts',
  'test/vector-stores.e2e-spec.ts',
  'test/knowledge-parsing.e2e-spec.ts',
  'test/trunk-limits.e2e-spec.ts',
  'test/webhooks.e2e-spec.ts',
  'test/media-threads.e2e-spec.ts',
  'test/client-package.spec.ts',
  'libs/telephony/src/sip/fuzz.spec.ts',
  'libs/voice/src/providers/pipeline/leg-faults.spec.ts',
  'libs/sandbox/src/tester/audio-line.spec.ts',
  'libs/sandbox/src/server/gemini-client.spec.ts',
  'libs/knowledge/src/extract/html-sections.spec.ts',
  'libs/knowledge/src/search/retrieval-quality.spec.ts',
  'test/architecture.spec.ts',
  'test/kubernetes.spec.ts',
  'libs/sandbox/src/phone/sandbox-phone.spec.ts',
  'libs/voice/src/answering-machine/answer-detector.spec.ts',
  'libs/telephony/src/media/fuzz.spec.ts',
  'libs/telephony/src/sip/session-timer.spec.ts',
  'libs/voice/src/real-line.spec.ts',
  'libs/telephony/src/sip/lossy-network.spec.ts',
];

/** Sorts LONG first, then end-to-end tests, then unit tests, each as Jest does, by duration or size: a run ends with the shortest. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => place(one) - place(other));
  }
}

/** @param {{ path: string, context: { config: { rootDir: string } } }} test */
function place({ path, context }) {
  const place = LONG.indexOf(relative(context.config.rootDir, path));
  if (place >= 0) return place;
  return LONG.length + (path.endsWith('.e2e-spec.ts') ? 0 : 1);
}
